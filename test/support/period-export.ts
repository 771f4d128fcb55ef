// Exports a period from the folder of a hub, as `gatehouse replay export` does.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { runReplay } from '#hub/record/connections/period/command.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { startCommand } from './command-run.ts';

export interface PeriodRange {
  /** Epoch milliseconds. */
  from: number;
  to: number;
}

/** Writes `file`, and resolves to its text. Fails when the command does. */
export async function exportPeriod(dataDir: string, { from, to }: PeriodRange, file: string): Promise<string> {
  const range = ['--from', isoTime(from), '--to', isoTime(to), '--output', file];
  const ended = await startCommand(() => runReplay(['export', ...range, '--data', dataDir])).ended;
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return readFileSync(file, 'utf8');
}
