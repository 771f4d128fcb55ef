// `gatehouse backup list`.

import { existsSync } from 'node:fs';
import { runProgram } from '#kernel/process/program.ts';
import { readInventory, type StoredGeneration, Verdicts } from '../backup/inventory.ts';
import { measureDatabase } from '../backup/snapshot.ts';
import { listSetAside } from '../damage/set-aside.ts';
import { formatSize } from '../disk-space.ts';
import { toBackupSummary } from '../prune/summary.ts';
import { readFreeBytes } from '../room.ts';
import { dataOption, locateFiles } from './places.ts';

const usage = `Usage: gatehouse backup list [--json] [--data DIR]

The generations, the oldest first: name, kind, size, version of the schema. Also while the hub runs.

Options
  --json      one JSON document
${dataOption}
  --help      this text
  --version   the version
`;

export function runList(argv: readonly string[]): Promise<number> {
  const options = { data: { type: 'string' }, json: { type: 'boolean' } } as const;
  return runProgram(argv, { name: 'backup list', usage, options }, async ({ data, json }) => {
    const { backups, databaseFile } = locateFiles(data);
    if (!existsSync(backups)) {
      throw new Error(`${backups} does not exist: name the folder of the hub's data with --data`);
    }
    const stored = readInventory(backups);
    const verdicts = new Verdicts();
    const entries = stored.map((one) => verdicts.entry(one));
    const summary = toBackupSummary({
      entries,
      dbSize: measureDatabase(databaseFile),
      freeBytes: readFreeBytes(backups),
    });
    const setAside = listSetAside(databaseFile);
    process.stdout.write(
      json
        ? `${JSON.stringify({ entries, summary, setAside }, null, 2)}\n`
        : formatList(stored, summary.freeBytes, setAside),
    );
  });
}

function formatList(stored: readonly StoredGeneration[], freeBytes: number, setAside: readonly string[]): string {
  const lines = stored.map(
    ({ name, kind, size, schema }) =>
      `${name}  ${kind.padEnd(9)}  ${formatSize(size).padStart(7)}  schema ${schema ?? '?'}`,
  );
  const room = `${stored.length} generations, ${formatSize(freeBytes)} free`;
  const damaged = setAside.map((file) => `set aside, damaged: ${file} (gatehouse salvage reads what is left of it)`);
  return `${[...lines, room, ...damaged].join('\n')}\n`;
}
