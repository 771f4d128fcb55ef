// The whole log, two thirds of its hours packed, against a naive one: 100,000 sightings over 30 days and 500 random queries
// of every endpoint; in `npm test` 8,000 sightings and a sixth of the queries.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sortColumns, type ValueColumn, valueColumns } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { type ConnectionLog, openConnectionLog } from '../support/connection-log.ts';
import { type Asked, createOracle, type Flow, flowsOf } from '../support/connection-oracle.ts';
import { budget, runs } from '../support/property-runs.ts';
import { createDice, monthMs, monthStart, randomPolls, randomSources, randomWorld } from '../support/random-log.ts';
import { judgeWorld, recordWorld } from '../support/record-world.ts';

const seed = 20_260_401;
const dice = createDice(seed);
const world = randomWorld(dice);
/** Enough for pages beyond offset 5000 in half of the month. */
const pollCount = runs(40, 500);
const polls = randomPolls(dice, world, pollCount, 200);
const flows = flowsOf(polls.flat());
const oracle = createOracle(flows, world);
const shared: { log?: ConnectionLog } = {};

beforeAll(async () => {
  const log = openConnectionLog();
  shared.log = log;
  await recordWorld(log, world, polls);
  await judgeWorld(log, world);
  await packHours(log.db, monthStart + (2 * monthMs) / 3);
  log.setNow(monthStart + monthMs);
});
afterAll(() => shared.log?.[Symbol.asyncDispose]());

function theLog(): ConnectionLog {
  if (!shared.log) {
    throw new Error('the log is not open');
  }
  return shared.log;
}

/** Windows of every kind: open, hourly, narrow, turned round, and with an edge on a sighting. */
function randomWindow(): Asked {
  const at = () => monthStart + dice.whole(monthMs);
  const sighting = () => dice.pick([dice.pick(flows).firstSeen, dice.pick(flows).lastSeen]);
  const start = dice.pick([at(), sighting(), at() - (at() % 3_600_000)]);
  const length = dice.pick([0, 60_000, 1_200_000, 3_600_000 - 1, 86_400_000, 7 * 86_400_000, -1]);
  const bounds = { from: String(start), to: String(start + length) };
  return dice.pick([{}, { from: bounds.from }, { to: bounds.to }, bounds, bounds, bounds, { ...bounds, from: '' }]);
}

function part(of: string): string {
  const start = dice.whole(of.length);
  return dice.pick([of, of.slice(start), of.slice(0, start + 1), of.slice(start, start + 3), of.toUpperCase()]);
}

/** Up to three filters, with words that occur; a third of them with several. */
function randomFilters(): Asked {
  const there = [...world.destinations.values()];
  const words: Record<string, () => string> = {
    fSrc: () => part(dice.pick([...world.sources].flatMap(([src, { dns_name }]) => [src, dns_name ?? src]))),
    fDst: () => part(dice.pick([...world.destinations].flatMap(([dst, { host }]) => [dst, host ?? dst]))),
    fDport: () => dice.pick(['443', '44', '3', '0', '123']),
    fProto: () => dice.pick(['tcp', 'UDP', 'P', 'ICMP']),
    fCountry: () => dice.pick(['NL', 'n', 'jp', 'XX']),
    fOrg: () => part(dice.pick(there).org ?? '%'),
    fSrcMac: () => dice.pick([...world.sources.values()]).mac?.toUpperCase() ?? '02:00:00:00:00:00',
    fDevice: () => dice.pick([...world.sources.values()]).device_id ?? 'no-such-device',
    fThreat: () => dice.pick(['safe', 'warn', 'danger']),
  };
  const asked: Record<string, string | string[]> = {};
  for (let count = dice.whole(4); count > 0; count -= 1) {
    const name = dice.pick(Object.keys(words));
    const word = () => words[name]?.() ?? '';
    asked[name] = dice.chance(0.3) ? Array.from({ length: 1 + dice.whole(4) }, word) : word();
    if (!['fSrcMac', 'fDevice', 'fThreat'].includes(name) && dice.chance(0.7)) {
      asked[`${name}Mode`] = dice.pick(['contains', 'startsWith', 'endsWith', 'exact', 'isNot', 'notContains']);
    }
  }
  return asked;
}

function randomScope(): Asked {
  return dice.chance(0.2) ? { sourceKind: 'router', sourceId: dice.pick([...world.routers.keys()]) } : {};
}

test('the log holds what the model holds', async () => {
  const { total } = await theLog().list({ limit: '0' });
  expect(polls.flat()).toHaveLength(pollCount * 200);
  expect(total).toBe(flows.length);
  expect(flows.length).toBeGreaterThan(runs(5500, 10_000));
});

/** `whole` queries, or a share of them; a failure names the query. */
function compare(
  name: string,
  whole: number,
  ask: (query: number) => Asked,
  check: (asked: Asked) => Promise<void>,
): void {
  const share = Math.ceil(whole / 6);
  test(`${name}: ${budget(share, whole, 'queries')}`, async () => {
    for (let query = 0; query < runs(share, whole); query += 1) {
      const asked = ask(query);
      await check(asked).catch((error: unknown) => {
        throw new Error(`seed ${seed}, query ${query}: ${JSON.stringify(asked)}`, { cause: error });
      });
    }
  });
}

describe('every endpoint answers as the model does', () => {
  const expected = (asked: Asked) => {
    const rows = oracle.sorted(oracle.matching(asked), asked);
    return { rows, shown: (from: number, to: number) => rows.slice(from, to).map(oracle.connection) };
  };
  const randomOrder = () => ({ sort: dice.pick(sortColumns), sortDir: dice.pick(['asc', 'desc']) });

  /** Each order in turn. */
  const orderOf = (query: number) => ({
    ...{ sort: sortColumns[(query >> 1) % sortColumns.length] ?? '', sortDir: query % 2 === 0 ? 'asc' : 'desc' },
  });

  compare(
    'list by offset',
    180,
    () => ({ ...randomWindow(), ...randomFilters(), ...randomScope(), ...randomOrder() }),
    async (asked) => {
      const { rows, shown } = expected(asked);
      const limit = dice.pick([0, 1, 7, 100, 1000]);
      const offset = dice.chance(0.4) ? 0 : dice.whole(rows.length + 2);
      const page = await theLog().list({ ...asked, limit: String(limit), offset: String(offset) });
      expect(page.total).toBe(rows.length);
      expect(page.connections).toEqual(shown(offset, offset + limit));
    },
  );

  compare(
    'list by a deep offset',
    84,
    (query) => {
      const wide = dice.pick([
        {},
        {},
        { fThreat: 'safe' },
        { to: String(monthStart + 0.95 * monthMs) },
        { fProto: 'p' },
      ]);
      return { ...wide, ...orderOf(query) };
    },
    async (asked) => {
      const { rows, shown } = expected(asked);
      expect(rows.length).toBeGreaterThan(5200);
      for (const offset of [5001, 5000 + dice.whole(rows.length - 5000), rows.length - 3]) {
        const page = await theLog().list({ ...asked, limit: '40', offset: String(offset) });
        expect(page.connections).toEqual(shown(offset, offset + 40));
      }
    },
  );

  compare(
    'list by cursor',
    84,
    (query) => ({ ...randomWindow(), ...randomFilters(), ...orderOf(query) }),
    async (asked) => {
      const { rows, shown } = expected(asked);
      const limit = Math.min(Math.ceil((rows.length + 1) / (2 + dice.whole(6))), 1000);
      const readTo = Math.min(rows.length, 5 * limit);
      let after: string | null = null as string | null;
      for (let start = 0; start <= readTo && (start === 0 || after !== null); start += limit) {
        const cursor: Asked = after === null ? {} : { after };
        const page = await theLog().list({ ...asked, ...cursor, limit: String(limit) });
        expect(page.total).toBe(rows.length);
        expect(page.connections).toEqual(shown(start, start + limit));
        after = page.next ?? null;
        expect(after === null).toBe(start + limit >= rows.length);
      }
    },
  );

  compare(
    'values of a column',
    120,
    (query) => ({
      ...{ ...randomWindow(), ...randomFilters(), ...randomScope() },
      column: valueColumns[query % valueColumns.length] ?? '',
    }),
    async ({ column, ...asked }) => {
      const counts = new Map<string, number>();
      for (const row of oracle.matching(asked).map(oracle.connection)) {
        const { observedBy, ...single } = row;
        const stored = column === 'router' ? observedBy : [single[column as Exclude<ValueColumn, 'router'>]];
        for (const value of stored.filter((one) => one !== null).map(String)) {
          counts.set(value, (counts.get(value) ?? 0) + 1);
        }
      }
      const most = [...counts].toSorted(([one, few], [other, many]) => many - few || (one < other ? -1 : 1));
      const answer = await theLog().ask('values', { ...asked, column: column ?? '' });
      expect(answer.total).toBe(most.length);
      expect(answer.values.map(({ value, count }) => [value, count])).toEqual(most.slice(0, limits.connectionsValues));
      for (const { value, label } of answer.values) {
        const { dns_name, mdns_name } = world.sources.get(value) ?? { dns_name: null, mdns_name: null };
        expect(column === 'router' || label === (dns_name ?? mdns_name)).toBe(true);
      }
    },
  );

  compare(
    'summary',
    60,
    () => {
      const src = randomSources(dice, world);
      return { ...randomWindow(), ...randomScope(), src, buckets: String(1 + dice.whole(90)) };
    },
    async (asked) => {
      const answer = await theLog().ask('summary', asked);
      const { appGroups, serverTime, cached, from, to, buckets, judged, judgedWhy, coverage, ...groups } = answer;
      const { timeline, ...others } = oracle.summary(asked);
      const { timeline: shown, ...shownOthers } = groups;
      expect(shownOthers).toEqual(others);
      expect(shown).toEqual(timeline);
      expect(appGroups.reduce((sum, { count }) => sum + count, 0)).toBe(others.total);
    },
  );

  compare(
    'threat-counts',
    80,
    () => ({ ...randomWindow(), ...randomFilters(), ...randomScope() }),
    async (asked) => {
      const { serverTime: _, judged, judgedWhy, coverage, ...counts } = await theLog().ask('threatCounts', asked);
      expect(counts).toEqual(oracle.counts(asked));
    },
  );

  compare(
    'threat-connections',
    60,
    () => {
      const confidence = dice.pick([{}, { confidence: 'low' }, { confidence: 'high' }, { confidence: 'all' }]);
      const limit = dice.pick([{}, { limit: '3' }, { limit: '999' }, { limit: '0' }]);
      return { ...randomWindow(), ...randomScope(), ...confidence, ...limit };
    },
    async (asked) => {
      const { serverTime: _, judged, judgedWhy, coverage, ...threats } = await theLog().ask('threatConnections', asked);
      expect(threats).toEqual(oracle.threats(asked));
    },
  );

  compare('new-nodes', 40, randomWindow, async (asked) => {
    const { serverTime: _, ...nodes } = await theLog().ask('newNodes', asked);
    expect(nodes).toEqual(oracle.newNodes(asked));
  });

  compare(
    'export',
    20,
    () => {
      const from = String(monthStart + dice.whole(monthMs));
      const to = dice.chance(0.5) ? {} : { to: String(monthStart + monthMs) };
      return { from, ...to, ...randomFilters() };
    },
    async (asked) => {
      const { rows } = expected({ ...asked, to: asked.to ?? String(monthStart + monthMs) });
      const { text } = await theLog().export({ ...asked, format: 'json' });
      const { meta, connections } = JSON.parse(text);
      expect(meta).toMatchObject({ total: rows.length, exported: rows.length, truncated: false });
      expect(connections.map((row: Flow) => [row.src, row.dst, row.dport, row.proto, row.lastSeen])).toEqual(
        rows.map((flow) => [flow.src, flow.dst, flow.dport, flow.proto, flow.lastSeen]),
      );
    },
  );
});
