// `gatehouse backup verify`.
import { runProgram } from '#kernel/process/program.ts';
import { findGeneration, readInventory } from '../backup/inventory.ts';
import { verifyGeneration } from '../backup/verify.ts';
import { dataOption, locateFiles, reportProgress } from './places.ts';

const usage = `Usage: gatehouse backup verify [NAME …] [--data DIR]

Compares generations, all when none is named, with the checksums of when they were made; one without checksums is looked
through and gets them. A line for each; ends with 1 when one is damaged. Also while the hub runs.

Options
${dataOption}
  --help      this text
  --version   the version
`;

export function runVerify(argv: readonly string[]): Promise<number> {
  const program = {
    name: 'backup verify',
    usage,
    options: { data: { type: 'string' } },
    operands: { name: 'names', most: 1000 },
  } as const;
  return runProgram(argv, program, async ({ data }, names) => {
    const { backups } = locateFiles(data);
    const damaged: string[] = [];
    for (const name of names.length > 0 ? names : readInventory(backups).map((one) => one.name)) {
      const stored = findGeneration(backups, name);
      reportProgress(name);
      const fault =
        stored === null
          ? `no backup has this name in ${backups}; "gatehouse backup list" names them`
          : ((await verifyGeneration(stored))?.sentence ?? null);
      process.stdout.write(`${name}: ${fault ?? 'ok'}\n`);
      if (fault !== null) {
        damaged.push(name);
      }
    }
    if (damaged.length > 0) {
      throw new Error(`${damaged.length} cannot be used (${damaged.join(', ')}): restore another one`);
    }
  });
}
