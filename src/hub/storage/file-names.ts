// Where the files of a hub lie.
import path from 'node:path';
import type { HubOptions } from '../config.ts';

/** `configPath` and `dbPath` name their file; everything else lies in the data directory. */
export function fileNames({ dataDir, configPath, dbPath }: Pick<HubOptions, 'dataDir' | 'configPath' | 'dbPath'>) {
  return {
    documentFile: configPath ?? path.join(dataDir, 'monitor.json'),
    databaseFile: dbPath ?? path.join(dataDir, 'monitor.db'),
    keyFile: path.join(dataDir, 'secret.key'),
    notesFile: path.join(dataDir, '.monitor.notes.json'),
  };
}
