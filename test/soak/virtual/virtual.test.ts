// A day in virtual time with the change to summer time in it: all is as it must be, and what is planted at the end is
// found. With the end-to-end tests two days, twice: a seed leaves the same both times.
import path from 'node:path';
import { expect, test } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { budget, runs } from '../../support/property-runs.ts';
import type { Home } from './home.ts';
import { runDays, runVirtual } from './run.ts';

/** As if the hub had forgotten what it observed. */
async function forgetCoverage({ lab }: Home): Promise<void> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) => void writer.prepare('DELETE FROM coverage_span').run());
  await db.close();
}

test(`days of a home: ${budget(1, 2, 'days')}`, async () => {
  const days = runs(1, 2);
  const lines: string[] = [];
  const evening = (home: Home, day: number) => (day === days ? forgetCoverage(home) : Promise.resolve());
  const report = await runDays({ days, seed: 1, evening, say: (line) => lines.push(line) });
  expect(report.problems).toEqual([
    expect.stringMatching(/^2026-03-30T.* coverage: router vendor-a-\w+ was observed for 0 min of the last day/),
    expect.stringMatching(/^2026-03-30T.* coverage: router vendor-b-\w+ was observed for 0 min of the last day/),
  ]);
  expect(lines).toHaveLength(days);
  expect(lines.at(-1)).toMatch(new RegExp(`^day ${days} 2026-03-30: `));
  expect(Object.values(report.incidents).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(5);
  if (days > 1) {
    const again = await runDays({ days, seed: 1, evening });
    expect(again.digest).toBe(report.digest);
  }
});

test('a day may end with a hub that is away: it takes afterwards what its Agent has seen meanwhile', async () => {
  // The hub of seed 283 is away from half past nine in the evening to the end of the day.
  const { problems, incidents } = await runDays({ days: 1, seed: 283 });
  expect({ problems, incidents }).toEqual({ problems: [], incidents: { 'router-away': 1, 'hub-away': 1 } });
});

test('a run that is stopped ends cleanly, and a span that is none is a usage error', async () => {
  expect(await runVirtual({ span: '30d', seed: 1, stop: AbortSignal.abort() })).toBe(0);
  await expect(runVirtual({ span: 'long', seed: 1, stop: AbortSignal.abort() })).rejects.toThrow('1d to 90d');
});
