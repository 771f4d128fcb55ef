// The hours of a connection and of the whole log are those in which the model saw it, packed or not, and 90 days of them at most.
import { expect, test } from 'vitest';
import { readDetail } from '#hub/record/connections/detail/query.ts';
import { exportHours } from '#hub/record/connections/export/hours-command.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import {
  type ConnectionLog,
  hour,
  noon,
  openConnectionLog,
  openReader,
  seen,
} from '../../../support/connection-log.ts';
import { flowsOf } from '../../../support/connection-oracle.ts';
import { createDice, monthMs, monthStart, randomPolls, randomWorld } from '../../../support/random-log.ts';
import { recordWorld } from '../../../support/record-world.ts';

const day = 24 * hour;

/** Lines of `gatehouse export-hours`, with the key of the flow in the place of its id. */
function hoursExported({ db }: ConnectionLog): string[] {
  const keys = db.prepare(
    `SELECT f.id, s.address || ',' || d.address || ',' || f.dport || ',' || f.proto FROM flow f
     JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id`,
  );
  const keyOf = new Map(keys.raw().all() as [number, string][]);
  const [head, ...lines] = [...exportHours(db.file)].join('').trimEnd().split('\n');
  expect(head).toBe('hour,flow_id,observations,first,last');
  const keyed = lines.map((line) => line.replace(/^(\d+),(\d+)/, (_, at, id) => `${at},${keyOf.get(Number(id))}`));
  return keyed.toSorted();
}

test('each hour has the sightings that the model counts', async () => {
  const dice = createDice(12);
  const world = randomWorld(dice);
  const polls = randomPolls(dice, world, 40, 60);
  await using log = openConnectionLog();
  await recordWorld(log, world, polls);
  await packHours(log.db, monthStart + monthMs / 2);
  using reader = openReader(log);
  const flows = flowsOf(polls.flat()).toSorted((a, b) => b.hours.size - a.hours.size);
  expect(flows[0]?.hours.size).toBeGreaterThan(10);
  for (const flow of [...flows.slice(0, 30), ...flows.slice(-10)]) {
    const { hours, hoursSince, connection } = readDetail(reader, flow) ?? {};
    expect(connection).toMatchObject({
      src: flow.src,
      dst: flow.dst,
      firstSeen: flow.firstSeen,
      lastSeen: flow.lastSeen,
    });
    const expected = [...flow.hours]
      .sort(([a], [b]) => a - b)
      .map(([at, { first, last, times }]) => ({
        hour: at * hour,
        observations: times,
        firstSeen: first,
        lastSeen: last,
      }));
    expect({ hours, hoursSince }).toEqual({ hours: expected, hoursSince: null });
  }
  expect(hoursExported(log)).toEqual(
    flows
      .flatMap(({ hours, src, dst, dport, proto }) =>
        [...hours].map(([at, { first, last, times }]) => [at, src, dst, dport, proto, times, first, last].join()),
      )
      .toSorted(),
  );
  expect(readDetail(reader, { ...(flows[0] as (typeof flows)[0]), dport: 1 })).toBeNull();
});

test('hours that lie more than 90 days before the last sighting are left out, and it is said', async () => {
  await using log = openConnectionLog();
  const key = seen();
  using reader = openReader(log);
  await log.record([{ at: noon + 5 }]);
  for (const [at, since] of [
    [noon + 90 * day + hour - 1, null],
    [noon + 90 * day + hour, noon + hour],
  ] as const) {
    await log.record([{ at }]);
    const { hours = [], hoursSince } = readDetail(reader, key) ?? {};
    expect(hoursSince).toBe(since);
    expect(hours.map((one) => one.hour)).toEqual(
      [noon, noon + 90 * day, noon + 90 * day + hour].filter((one) => one >= (since ?? 0) && one <= at),
    );
  }
});
