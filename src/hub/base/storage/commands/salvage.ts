// `gatehouse salvage`: what a damaged database still holds becomes a generation, which can be restored.
import { existsSync } from 'node:fs';
import { runProgram } from '#kernel/process/program.ts';
import { type Salvage, salvageDatabase } from '#kernel/sqlite/salvage.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { readDocuments } from '../backup/documents.ts';
import { makeGeneration, measureDatabase } from '../backup/snapshot.ts';
import { listSetAside } from '../damage/set-aside.ts';
import type { DataFolder } from '../data-folder.ts';
import { migrationsFolder, productKind } from '../product.ts';
import { requireRoom } from '../room.ts';
import { dataOption, openStopped, reportProgress } from './places.ts';

const usage = `Usage: gatehouse salvage [FILE] [--json] [--data DIR]

Reads what is left of a damaged database into a new generation, and says for each table what was read and where rows are
missing. Without FILE: the newest database that was set aside, else the database itself. Nothing is changed; put the result
back with gatehouse backup restore NAME. The hub must be stopped.

Options
  --json      one JSON document
${dataOption}
  --help      this text
  --version   the version
`;

/** Resolves to the exit code: 0 when a generation was made, 1 on failure, 2 on a usage error. */
export function runSalvage(argv: readonly string[]): Promise<number> {
  const options = { data: { type: 'string' }, json: { type: 'boolean' } } as const;
  const program = { name: 'salvage', usage, options, operands: { name: 'files', most: 1 } };
  return runProgram(argv, program, async ({ data, json }, [given]) => {
    using folder = openStopped(data);
    const source = given ?? findDamagedFile(folder);
    if (!existsSync(source)) {
      throw new Error(`${source} does not exist: name the damaged database`);
    }
    requireRoom(folder.backups, measureDatabase(source), 'a salvage');
    const about = {
      folder: folder.backups,
      at: systemClock.now(),
      migration: null,
      documents: readDocuments(folder),
    };
    const found: Salvage[] = [];
    const schema = { migrations: migrationsFolder, applicationId: productKind.applicationId };
    const { name } = await makeGeneration(about, reportProgress, (temporary) => {
      found.push(salvageDatabase(source, temporary, schema, reportProgress));
    });
    for (const salvage of found) {
      process.stdout.write(
        json ? `${JSON.stringify({ source, name, ...salvage }, null, 2)}\n` : formatReport(source, name, salvage),
      );
    }
  });
}

function findDamagedFile({ databaseFile }: DataFolder): string {
  return listSetAside(databaseFile).at(-1) ?? databaseFile;
}

function formatReport(source: string, name: string, { tables, orphans }: Salvage): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const damaged = tables.filter(({ gaps }) => gaps > 0);
  const lines = damaged.map(
    ({ table, rows, gaps, error }) => `${table}: ${rows} rows, rows may be missing at ${gaps} places (${error})`,
  );
  return [
    `${source}: ${rows} rows of ${tables.length} tables were read.`,
    ...(damaged.length === 0 ? ['No table is damaged.'] : lines),
    ...(orphans === 0 ? [] : [`${orphans} rows were left out: what they belong to is lost.`]),
    `They are in the generation ${name}: gatehouse backup restore ${name}`,
    '',
  ].join('\n');
}
