// English of restoring a backup. Every other language has the same keys, and functions with the same parameters.
import type { Same } from '../en.ts';

export const en = {
  fromFile: 'Restore from a file',
  fromFileHelp: 'Choose a backup that was downloaded before. It is verified first; nothing changes until you confirm.',
  file: 'Backup file',
  checking: 'Verification of the file',
  verifying: 'The hub verifies the file…',
  sent: (done: string, total: string) => `${done} of ${total} sent`,
  found: 'Found in the file',
  made: 'Made',
  changed: 'File last changed',
  size: 'Size',
  version: 'Schema version',
  sameVersion: (version: string) => `${version}, as in this hub`,
  olderVersion: (version: string, own: string) => `${version}; it is updated to ${own}`,
  verified: 'Verified',
  whole: 'yes, the file is whole',
  restore: 'Restore',
  title: (at: string) => `Restore the backup of ${at}?`,
  help: (at: string) =>
    `The database returns to its state at ${at}. Everything recorded since then is lost: connections, detections, notes. A backup of the current state is made first, so that you can undo this. Settings are kept. Everybody must log in again, including you.`,
  word: 'restore',
  typeWord: (word: string) => `Type ${word} to confirm`,
  restoring: 'The hub restores the backup. Please wait: this can no longer be cancelled.',
  restored: 'The backup was restored',
  result: (at: string, former: string) => `Restored the backup of ${at}. The previous state was saved as ${former}.`,
  nothingCarriedOver:
    'The previous database could not be read: the audit trail and the AI usage end with the backup, and dismissed beacons may be reported again. All API identities and Agents are revoked: make new identities, and enrol the Agents again.',
  sessionsEnded: 'All sessions have ended, including this one.',
  problems: {
    notBackup: 'This file is not a backup of Gatehouse. Choose a file that was downloaded from the list of backups.',
    tooLarge: (most: string) =>
      `The file is larger than ${most}. Restore it on the computer of the hub with "gatehouse backup restore".`,
    newer: (version: string, own: string) =>
      `The backup has version ${version} of the database, and this hub has ${own}. Update the hub first.`,
    damaged: 'The backup is damaged or not whole. Download it again, or choose another one.',
    noRoom: 'The disk of the hub has too little space. Make room on it and try again.',
    busy: 'The hub is working on another backup. Wait until it has ended and try again.',
    lost: 'The connection to the hub was lost. Check that the hub is running and try again.',
    unknownEnd:
      'The connection was lost during the restore. Load this page again and compare the newest connections with the backup.',
    nothingChanged: 'Nothing was changed.',
  },
} as const;

export type RestoreDictionary = Same<typeof en>;
