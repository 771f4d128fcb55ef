// REST specification: backups of the database.
import { type Requirement, stated } from './requirement.ts';

export const restBackup: readonly Requirement[] = [
  ...stated(1, '2 Backup', {
    'rest.backup.generation-named': 'a generation is named',
    'rest.backup.inventory-kinds': 'inventory entries are normal or pre-migration',
    'rest.backup.integrity-unchecked': 'integrity is unchecked until a verified cleanup preview runs',
    'rest.backup.interval-positive': 'intervalHours is positive',
    'rest.backup.max-bytes-non-negative': 'maxBackupBytes is non-negative',
    'rest.backup.auto-prune-off': 'autoPrune is a boolean, default off',
    'rest.backup.job-content': 'a prune job carries status, progress, plan and result',
  }),
  ...stated(1, '2 Backup, 8', {
    'rest.backup.max-generations-2': 'maxGenerations is at least 2',
    'rest.backup.max-bytes-0': 'maxBackupBytes 0 disables the storage cap',
  }),
  ...stated(1, '3', {
    'rest.backup.job-statuses':
      'a prune job is running, cancelling, timing_out, completed, cancelled, timed_out or failed',
  }),
  ...stated(1, '1, 4 Backup', {
    'rest.backup.create': 'POST /api/backup/create creates and verifies a consistent SQLite snapshot',
    'rest.backup.download': 'GET /api/backup/download/:name downloads a generation',
    'rest.backup.restore': 'POST /api/backup/restore { name } restores a generation',
    'rest.backup.prune-execute': 'POST /api/backup/prune { execute: true } starts confirmed cleanup',
  }),
  ...stated(1, '4 Backup', {
    'rest.backup.all-protected': 'every backup route is Protected',
    'rest.backup.list-generations': 'GET /api/backup/list returns the normal generations',
    'rest.backup.list-retention': 'the list returns the retention settings',
    'rest.backup.list-inventory': 'the list returns the normal and pre-migration inventory',
    'rest.backup.list-headroom': 'the list returns the disk headroom',
    'rest.backup.list-readiness': 'the list returns the readiness for the next migration',
    'rest.backup.upload': 'POST /api/backup/upload takes a raw SQLite file as body, not multipart',
    'rest.backup.check':
      'POST /api/backup/check verifies an uploaded file as a restore does, and keeps and changes nothing',
    'rest.backup.config': 'POST /api/backup/config takes intervalHours, maxGenerations, maxBackupBytes, autoPrune',
    'rest.backup.prune-dry-run': 'POST /api/backup/prune { execute: false } gives a verified dry run',
    'rest.backup.job-read': 'GET /api/backup/prune/:jobId returns status, progress and the completed plan and result',
    'rest.backup.job-cancel': 'DELETE /api/backup/prune/:jobId requests safe cancellation',
    'rest.backup.never-deletes': 'cleanup never deletes corrupt, unverified, changed or temporary files',
    'rest.backup.off-loop': 'integrity checks run off the main event loop, collection and HTTP stay responsive',
    'rest.restore.validates-source': 'restore validates the source first',
    'rest.restore.safety-backup': 'restore confirms a safety backup',
    'rest.restore.reopens': 'restore reopens all database users',
    'rest.restore.verifies-result': 'restore verifies the result',
    'rest.restore.rolls-back': 'restore rolls back on failure',
  }),
  ...stated(1, '3, 4 Backup', {
    'rest.restore.revokes-sessions': 'a successful restore revokes all active browser sessions',
  }),
  ...stated(1, '4 Backup, 7', {
    'rest.backup.prune-202': 'prune returns 202 with a worker job',
  }),
  ...stated(1, '4 Backup, 7, 8', {
    'rest.backup.prune-409': 'one prune job runs at a time, a second request gets 409',
  }),
  ...stated(1, '4 Backup, 8', {
    'rest.backup.upload-100-mb': 'the upload is at most 100 MB',
    'rest.backup.keeps-2': 'cleanup always keeps two normal generations',
    'rest.backup.keeps-migration': 'cleanup always keeps the latest verified migration generation',
  }),
];
