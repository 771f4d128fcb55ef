// Checks of the data folder that need no running hub: who may read it, and how much room is left.
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { folderWarning } from '#kernel/files/private-files.ts';
import { createStatement } from '../../base/statements.ts';
import { formatSize } from '../../base/storage/disk-space.ts';
import type { toFileNames } from '../../base/storage/file-names.ts';
import { readFreeBytes } from '../../base/storage/room.ts';
import { createFinding, createUnknown, type Finding } from './finding.ts';

type Files = ReturnType<typeof toFileNames>;

/** Days of growth for which there should be room. */
const daysAhead = 7;
/** With less free room in bytes than this, the next write may fail. */
const fullBelow = 8_388_608;

export function checkPermissions(dataDir: string, { databaseFile, ...files }: Files): Finding[] {
  const folder = lstatSync(dataDir, { throwIfNoEntry: false });
  if (folder === undefined) {
    return [];
  }
  const open = folderWarning(dataDir);
  const findings: Finding[] = open
    ? [{ state: 'problem', statement: createStatement('folder_exposed', open, { folder: path.resolve(dataDir) }) }]
    : [];
  for (const file of [...Object.values(files), databaseFile, `${databaseFile}-wal`]) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found && (found.mode & 0o077) !== 0) {
      const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
      const sentence = `${file} has mode ${mode}: other users of this computer can read or change it`;
      findings.push(createFinding('problem', 'path_exposed', sentence, { file, mode }));
    }
    if (found && found.uid !== folder.uid) {
      const values = { file, owner: String(found.uid), user: String(folder.uid) };
      const sentence = `${file} belongs to user ${values.owner}, and its folder to user ${values.user}`;
      findings.push(createFinding('problem', 'path_other_owner', sentence, values));
    }
  }
  return findings;
}

interface Needs {
  folder: string;
  bytesPerDay: number | null;
  /** Bytes of the next backup. */
  backupBytes: number;
}

/** Whether the disk has room for the next backup and for a week of the log. */
export function checkRoom({ folder, bytesPerDay, backupBytes }: Needs): Finding[] {
  try {
    const freeBytes = readFreeBytes(folder);
    const neededBytes = backupBytes + daysAhead * (bytesPerDay ?? 0) + fullBelow;
    const values = { folder, free: formatSize(freeBytes), needed: formatSize(neededBytes), days: daysAhead };
    const sentence = `the disk of ${folder} has ${values.free} free; a backup and ${daysAhead} days of the log need ${values.needed}`;
    return freeBytes < neededBytes
      ? [createFinding(freeBytes < fullBelow ? 'problem' : 'advice', 'room_short', sentence, values)]
      : [];
  } catch (error) {
    return [createUnknown(folder, error)];
  }
}
