// `gatehouse backup create`.

import { runProgram } from '#kernel/process/program.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { readDocuments } from '../backup/documents.ts';
import { makeSnapshot } from '../backup/snapshot.ts';
import { hasHubData } from '../database.ts';
import { formatSize } from '../disk-space.ts';
import { dataOption, openStopped, reportProgress } from './places.ts';

const usage = `Usage: gatehouse backup create [--data DIR]

Makes a backup of a stopped hub: a copy of the database with notes and settings, verified, with its checksum. Prints its
name. For a running hub: POST /api/backup/create.

Options
${dataOption}
  --help      this text
  --version   the version
`;

export function runCreate(argv: readonly string[]): Promise<number> {
  const options = { data: { type: 'string' } } as const;
  return runProgram(argv, { name: 'backup create', usage, options }, async ({ data }) => {
    using folder = openStopped(data);
    if (!hasHubData(folder.databaseFile)) {
      throw new Error(`${folder.databaseFile} holds no data: name the folder of the hub's data with --data`);
    }
    const documents = readDocuments(folder);
    const task = {
      file: folder.databaseFile,
      folder: folder.backups,
      at: systemClock.now(),
      migration: null,
      documents,
    };
    const made = await makeSnapshot(task, reportProgress);
    process.stdout.write(`${made.name}\n`);
    process.stderr.write(`${made.file} (${formatSize(made.size)}, SHA-256 ${made.sha256})\n`);
  });
}
