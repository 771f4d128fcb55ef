// An export has the rows of the list in both formats, and ends with its caller, its time or its first failure.
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { startReaderPools } from '#hub/base/readers/pools.ts';
import { answerExport } from '#hub/record/connections/export/answer.ts';
import { queries } from '#hub/record/connections/queries.ts';
import { type ListedConnection, newestFirst } from '#hub/record/connections/query/page.ts';
import { type ConnectionLog, openConnectionLog, openReader, seen } from '../../../support/connection-log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createDice, type Dice, monthMs, monthStart, randomPolls, randomWorld } from '../../../support/random-log.ts';
import { judgeWorld, recordWorld } from '../../../support/record-world.ts';

/** Columns of an export that are members of a listed connection. */
const same = ['src', 'srcMac', 'srcVendor', 'srcDnsName', 'srcMdnsName', 'dst', 'dstHost', 'dport', 'proto', 'country'];
const others = [
  'city',
  'org',
  'firstSeen',
  'lastSeen',
  'ttl',
  'source',
  'observedBy',
  'agentHost',
  'process',
  'threatLevel',
];

function exportOf(row: ListedConnection): Record<string, unknown> {
  const { threat } = row;
  return {
    ...Object.fromEntries(
      [...same, ...others].map((name) => [name, (row as unknown as Record<string, unknown>)[name]]),
    ),
    ...{
      threatConfidence: threat?.confidence ?? null,
      threatSource: threat?.source ?? null,
      threatTag: threat?.tag ?? null,
    },
  };
}

/** Every cell of a CSV whose cells are all quoted, without the apostrophes before formulas. */
function cellsOf(csv: string): string[][] {
  const lines = csv.slice(csv.indexOf('\r\n') + 2).split(/(?<=")\r\n/);
  return lines
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, cell = '']) =>
        cell.replaceAll('""', '"').replace(/^'(?=[=+\-@])/, ''),
      ),
    );
}

/** Agents show some flows of the world too; some addresses have had another holder until the middle of the month. */
async function addAgentsAndHolders(log: ConnectionLog, dice: Dice): Promise<void> {
  const flows = log.db
    .prepare(
      `SELECT s.address AS src, d.address AS dst, f.dport, f.proto FROM flow f JOIN source s ON s.id = f.source_id
       JOIN destination d ON d.id = f.destination_id ORDER BY f.id`,
    )
    .all() as { src: string; dst: string; dport: number; proto: string }[];
  const at = monthStart + dice.whole(monthMs);
  const observations = flows
    .filter(() => dice.chance(0.2))
    .map((flow) => ({
      ...{ ...flow, at, sport: dice.whole(65_536) },
      agent: {
        host: dice.pick(['desk', '=desk']),
        process: dice.pick(['curl "x"', 'ssh -v', '']),
        ...{ pid: 9, bytesIn: 1n, bytesOut: null },
      },
    }));
  await log.record(observations, { routerId: 'agent-1', kind: 'agent', now: at });
  const middle = monthStart + monthMs / 2;
  await log.db.write((writer) => {
    writer
      .prepare("INSERT INTO device (id, device_id, root, first_seen, last_seen) VALUES (1, 'former', 1, 1, 2)")
      .run();
    const addresses = writer.prepare('SELECT address FROM source ORDER BY id').pluck().all() as string[];
    for (const [index, address] of addresses.entries()) {
      if (index % 3 === 0) {
        writer.prepare('UPDATE source SET held_since = ? WHERE address = ?').run(middle, address);
      }
      if (index % 6 === 0) {
        writer
          .prepare(
            `INSERT INTO lease (address, family, device, observer_id, since, last_seen, until) VALUES (?, 4, 1, 'r', 1, 2, ?)`,
          )
          .run(address, middle);
      }
    }
  });
}

test.each([7, 8, 9])('every column of every row is that of the list, as JSON and as CSV, seed %i', async (seed) => {
  const dice = createDice(seed);
  const world = randomWorld(dice);
  const polls = randomPolls(dice, world, 20, 60);
  await using log = openConnectionLog();
  await recordWorld(log, world, polls);
  await judgeWorld(log, world);
  await addAgentsAndHolders(log, dice);
  using reader = openReader(log);
  const paged = { filter: {}, ...newestFirst, limit: 2000, offset: 0, now: 0 } as const;
  const { connections, total } = queries.list(reader, paged);
  expect(connections.length).toBe(total);
  const expected = connections.map((row) => exportOf(row as ListedConnection));
  const query = { from: '0', to: String(monthStart + monthMs) };
  const { text, headers } = await log.export({ ...query, format: 'json' });
  const exported = JSON.parse(text).connections as Record<string, unknown>[];
  // Paths are compared in export-rows.test.ts.
  expect(exported.map(({ path: _, pathState: __, doubleNat: ___, ...row }) => row)).toEqual(expected);
  expect(new Set(exported.map(({ pathState }) => pathState))).toEqual(new Set(['single', 'unknown']));
  expect(new Set(expected.map(({ agentHost }) => agentHost))).toEqual(new Set([null, 'desk', '=desk']));
  expect(headers).toMatchObject({ 'X-Export-Total': String(total), 'X-Export-Truncated': 'false' });
  const { text: csv } = await log.export({ ...query, format: 'csv' });
  const textOf = (cell: unknown) => (Array.isArray(cell) ? cell.join('|') : String(cell ?? ''));
  expect(cellsOf(csv)).toEqual(exported.map((row) => Object.values(row).map(textOf)));
});

const params = { filter: { from: 0, to: Number.MAX_SAFE_INTEGER }, format: 'json', from: 0, to: 1 } as const;

async function startScene() {
  await using opened = new AsyncDisposableStack();
  const log = opened.use(openConnectionLog());
  await log.record([seen()]);
  const pools = opened.use(startReaderPools(log.db.file));
  const clock = new ManualClock(Date.UTC(2026, 10, 28, 1, 2, 3, 987));
  const leaving = new AbortController();
  const answer = () => answerExport({ exports: pools.exports, clock }, params, clock.now(), leaving.signal);
  const held = opened.move();
  return { clock, leaving, answer, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

test('its headers say how many rows come, and the file is called by the second', async () => {
  await using scene = await startScene();
  const { headers, body } = await scene.answer();
  expect(headers).toEqual({
    ...{ 'X-Export-Total': '1', 'X-Export-Count': '1', 'X-Export-Truncated': 'false' },
    'Content-Disposition': 'attachment; filename="monitor-connections-20261128T010203Z.json"',
  });
  expect(JSON.parse(String(await buffer(body)))).toMatchObject({ meta: { total: 1 } });
  expect(scene.clock.sleeping).toBe(0);
});

test('an export that takes longer than its time is refused, and one that was begun ends', async () => {
  await using scene = await startScene();
  const { clock } = scene;
  const late = expect(scene.answer()).rejects.toMatchObject({ code: 'busy', message: /took too long/ });
  await clock.advance(limits.exportMs);
  await late;
  const begun = await scene.answer();
  await clock.advance(limits.exportMs - 1);
  expect(clock.sleeping).toBe(1);
  await clock.advance(1);
  await expect(buffer(begun.body)).rejects.toThrow('the export took too long: ask for a shorter range');
  expect(clock.sleeping).toBe(0);
});

test('a caller that has left leaves no timer', async () => {
  await using scene = await startScene();
  scene.leaving.abort(new Error('the caller left'));
  await expect(scene.answer()).rejects.toThrow('the caller left');
  expect(scene.clock.sleeping).toBe(0);
});
