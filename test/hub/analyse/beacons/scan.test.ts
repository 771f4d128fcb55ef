// One look at the starts of sessions in a real database: what is found, and what of it is kept when it is too much.
import { expect, test } from 'vitest';
import type { Beacon, BeaconConfig } from '#contract/beacons.ts';
import { beaconQueries, type Scan } from '#hub/analyse/beacons/scan.ts';
import { writeStarts } from '#hub/analyse/beacons/start-recorder.ts';
import { beaconDetail } from '#hub/analyse/beacons/starts.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { type ConnectionLog, noon, openConnectionLog, seen } from '../../../support/connection-log.ts';

const minute = 60_000;
const config: BeaconConfig = {
  enabled: true,
  minObs: 8,
  maxCov: 0.5,
  minIntervalMs: 20_000,
  maxIntervalMs: 240 * minute,
  scanIntervalMs: 60 * minute,
  whitelistDomains: [],
  orgAllowlist: [],
};
const contacts = 40;

/** Contacts every ten minutes, each second one late by `lateMs`: the later, the less regular. */
async function contact(log: ConnectionLog, dst: string, lateMs: number, dport = 443): Promise<void> {
  const flow = { src: '192.168.1.2', dst, dport, proto: dport === 443 ? 'TCP' : 'UDP' };
  const starts = Array.from({ length: contacts }, (_, index) => ({
    at: noon + index * 10 * minute + (index % 2) * lateMs,
    isExact: true,
  }));
  await log.record([{ ...flow, at: noon }]);
  await log.db.write((writer) => writeStarts(writer, [{ ...flow, starts }], minute));
}

function scan({ db }: ConnectionLog, most: number): Scan {
  const reader = new ReadConnection(db.file, 1024);
  const now = noon + contacts * 10 * minute;
  const answer = beaconQueries.beaconScan(reader, { now, pollMs: minute, config, most });
  reader.close();
  return answer;
}

test('when more is found than is kept, listed destinations stay, then the surest, and benign ones go', async () => {
  await using log = openConnectionLog();
  await contact(log, '203.0.113.3', 2 * minute);
  await contact(log, '203.0.113.1', 0);
  await contact(log, '203.0.113.123', 0, 123);
  await contact(log, '203.0.113.2', minute);
  await contact(log, '203.0.113.4', 2 * minute);
  await log.judge('203.0.113.4', {});
  // People and not a program; and a flow that is not in the log any more.
  await contact(log, '203.0.113.5', 9 * minute);
  await log.db.write((writer) => {
    writer.prepare('INSERT INTO session_start SELECT slot, 999, starts FROM session_start WHERE flow_id = 1').run();
  });
  const all = scan(log, 10);
  expect(all.found.map(({ dst }) => dst)).toEqual([
    '203.0.113.4',
    '203.0.113.1',
    '203.0.113.2',
    '203.0.113.3',
    '203.0.113.123',
  ]);
  expect(all).toMatchObject({ groups: 7, regular: 5 });
  expect(all.found[0]?.threat).toEqual({
    ...{ level: 'danger', confidence: 'high', source: 'feed_ioc', tag: null },
    ...{ matchType: 'ip', matchValue: '203.0.113.4', port: null, url: null },
  });
  const scores = all.found.map(({ score }) => score);
  expect(scores[1]).toBeGreaterThan(scores[2] ?? 1);
  expect(scores[2]).toBeGreaterThan(scores[3] ?? 1);
  expect(all.found.map(({ benign }) => benign)).toEqual([null, null, null, null, 'time_service']);
  for (const most of [1, 3]) {
    expect(scan(log, most)).toEqual({ ...all, found: all.found.slice(0, most) });
  }
});

test('starts are exact while four of five are, and then those alone count; else all do, in order', async () => {
  for (const [polled, isExact] of [
    [1, true],
    [2, false],
  ] as const) {
    await using log = openConnectionLog();
    const flow = { src: '192.168.1.2', dst: '203.0.113.80', dport: 443, proto: 'TCP' };
    await log.record([seen({ ...flow, at: noon })]);
    const exact = [0, 10, 20, 30].map((minutes) => noon + minutes * minute);
    const shown = Array.from({ length: polled }, (_, index) => noon + (5 + 10 * index) * minute);
    const starts = [...exact.map((at) => ({ at, isExact: true })), ...shown.map((at) => ({ at, isExact: false }))];
    for (const start of starts) {
      await log.db.write((writer) => writeStarts(writer, [{ ...flow, starts: [start] }], minute));
    }
    const reader = new ReadConnection(log.db.file, 1024);
    const { at, exact: areExact } = beaconDetail(reader, { beacon: flow as Beacon, now: noon + 60 * minute }).starts;
    reader.close();
    expect({ at, areExact }).toEqual({ at: isExact ? exact : [...exact, ...shown].sort(), areExact: isExact });
  }
});
