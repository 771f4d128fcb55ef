// Where the files of a hub lie.
import path from 'node:path';
import type { HubOptions } from '../config.ts';

type Places = Pick<HubOptions, 'dataDir' | 'configPath' | 'dbPath' | 'backupDir'>;

/** `configPath`, `dbPath` and `backupDir` name their place; everything else lies in the data directory. */
export function toFileNames({ dataDir, configPath, dbPath }: Places) {
  return {
    documentFile: configPath ?? path.join(dataDir, 'monitor.json'),
    databaseFile: dbPath ?? path.join(dataDir, 'monitor.db'),
    keyFile: path.join(dataDir, 'secret.key'),
    notesFile: path.join(dataDir, '.monitor.notes.json'),
  };
}

export function toBackupFolder({ dataDir, backupDir }: Places): string {
  return backupDir ?? path.join(dataDir, 'backups');
}
