// Long ranges against the real engine: the same random month in the log and in ClickHouse gives the same answers.
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hourColumns } from '#hub/record/connections/closed-hours/row-text.ts';
import { readUnit } from '#hub/record/connections/closed-hours/unit.ts';
import { createAsk } from '#hub/record/connections/history/ask.ts';
import { type HistoryWindow, toParameters } from '#hub/record/connections/history/flows-query.ts';
import { readHeldHours } from '#hub/record/connections/history/held-hours.ts';
import { countHistory, summariseHistory } from '#hub/record/connections/history/summary.ts';
import { findHours } from '#hub/record/connections/store/hour-rows.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type ConnectionLog, hour, openConnectionLog } from '../support/connection-log.ts';
import { verdictOf } from '../support/connection-oracle.ts';
import { budget, runs } from '../support/property-runs.ts';
import { createDice, monthMs, monthStart, randomPolls, randomSources, randomWorld } from '../support/random-log.ts';
import { recordWorld } from '../support/record-world.ts';
import { database, engineMissing, openEngine } from './engine.ts';

if (engineMissing !== null) {
  console.log(`skipped: ${engineMissing}`);
}

const seed = 20_261_125;
const signal = new AbortController().signal;

/** Sends every hour of the log twice: the second time replaces the first. */
async function sendAll(client: ClickHouseClient, log: ConnectionLog): Promise<void> {
  const reader = log.db as unknown as Reader;
  const wanted = findHours(reader, 0, Number.MAX_SAFE_INTEGER).map((one) => ({ hour: one, digest: null }));
  for (const [hub, version] of [
    ['attic', 1],
    ['attic', 2],
    ['cellar', 1],
  ] as const) {
    const { bodies } = readUnit(reader, { wanted, hub, version, bodyRows: 1_000_000 });
    for (const [index, { bytes }] of bodies.entries()) {
      const insert = `INSERT INTO ${database}.flow_hour (${hourColumns.join(', ')}) FORMAT TabSeparated\n`;
      await client.command({
        query: `${insert}${Buffer.from(bytes).toString('utf8')}`,
        clickhouse_settings: { insert_deduplication_token: `${hub} ${version} ${index}` },
      });
    }
  }
}

describe.skipIf(engineMissing !== null)('long ranges and the engine', () => {
  const state = {} as { client: ClickHouseClient };
  beforeAll(async () => {
    state.client = await openEngine();
  });
  afterAll(() => state.client.close());

  test(`every group, bucket and count equals what the log answers: ${budget(25, 120, 'windows')}`, async () => {
    const dice = createDice(seed);
    const world = randomWorld(dice);
    const polls = randomPolls(dice, world, 60, 120);
    await using log = openConnectionLog();
    log.setNow(monthStart + monthMs);
    const judge = ({ dst, dport }: { dst: string; dport: number }) => verdictOf(world, dst, dport);
    const factProvider = { describe: () => null, describeSource: () => null, judge };
    await recordWorld(log, world, polls, factProvider);
    await sendAll(state.client, log);

    for (let query = 0; query < runs(25, 120); query += 1) {
      const from = monthStart + dice.whole(monthMs);
      const to = from + dice.pick([0, 60_000, hour - 1, 5 * hour + 17, 24 * hour, 9 * 24 * hour, monthMs]);
      const { org, host, country } = dice.pick([...world.destinations.values()]);
      const window: HistoryWindow = {
        ...{ from, to, buckets: 1 + dice.whole(90) },
        src: randomSources(dice, world),
        target: dice.chance(0.2) ? (org ?? host ?? dice.pick([...world.destinations.keys()])) : undefined,
        country: dice.chance(0.2) ? (country ?? undefined) : undefined,
        router: dice.chance(0.2) ? dice.pick([...world.routers.keys()]) : undefined,
      };
      const label = `seed ${seed}: ${JSON.stringify(window)}`;
      const ask = createAsk(state.client, toParameters('attic', window), signal);
      const { router, src, target, country: place, ...numbers } = window;
      const scope = router === undefined ? {} : { sourceKind: 'router', sourceId: router };
      const words = Object.fromEntries(
        Object.entries({ target, country: place }).flatMap(([name, text]) => (text ? [[name, text]] : [])),
      );
      const bounds = { from: String(from), to: String(to), ...scope };
      const { serverTime, cached, judged, judgedWhy, coverage, ...expected } = await log.ask('summary', {
        ...{ ...bounds, ...words, src: src ?? [], buckets: String(numbers.buckets) },
      });
      expect(await summariseHistory(ask, window), label).toEqual(expected);
      const counts = await log.ask('threatCounts', bounds);
      const whole = createAsk(state.client, toParameters('attic', { from, to, buckets: 1, router }), signal);
      expect(await countHistory(whole), label).toEqual({ safe: counts.safe, warn: counts.warn, danger: counts.danger });
    }
    const ask = createAsk(state.client, toParameters('attic', { from: 0, to: 1, buckets: 1 }), signal);
    const hours = findHours(log.db as unknown as Reader, 0, Number.MAX_SAFE_INTEGER);
    const [oldest = 0, newest = 0] = [hours[0], hours.at(-1)];
    expect(await readHeldHours(ask)).toEqual({ from: oldest * hour, until: (newest + 1) * hour });
  });
});
