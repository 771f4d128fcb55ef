// What a recorder does with a batch: who is told of traffic, starts, sessions, threats and changes, and in which order.
import { expect, test } from 'vitest';
import type { Threat } from '#contract/model.ts';
import { createRecorder, type RecorderOptions } from '#hub/record/connections/record/recorder.ts';
import type { Log } from '#kernel/process/log.ts';
import { type ConnectionLog, noon, openConnectionLog, seen } from '../../../support/connection-log.ts';
import { keepAll } from '../../../support/no-marks.ts';

const all = ({ db }: ConnectionLog, sql: string) => db.prepare(sql).raw().all();

const threat: Threat = {
  ...{ level: 'danger', confidence: 'high', source: 'feed_c2', tag: null, matchType: 'ip', matchValue: '1' },
  ...{ port: null, url: null },
};

const described = {
  source: { mac: '02:00:5e:10:00:01', vendor: 'Acme', dnsName: 'd.lan', mdnsName: 'm', deviceId: 'x' },
  destination: { host: 'a.example', country: 'NL', org: 'Example', lat: 52.5, lon: 4.9, city: 'Delft' },
};

async function startRecorder(changes: Partial<RecorderOptions> = {}) {
  await using opened = new AsyncDisposableStack();
  const log = opened.use(openConnectionLog());
  const told: unknown[][] = [];
  const note =
    (what: string) =>
    (...given: unknown[]) =>
      void told.push([what, ...given]);
  const record = createRecorder({
    db: log.db,
    marks: keepAll,
    log: { error: (_: object, text: string) => void told.push(['error', text]) } as unknown as Log,
    devices: { noteTraffic: note('traffic') },
    detection: { threats: async (threats) => void told.push(['threats', threats.map(({ dport }) => dport)]) },
    announcer: { publish: async (changed) => void told.push(['publish', changed.count()]) },
    starts: {
      isWorthKeeping: ({ starts }) => starts.length > 0,
      *writeStarts(_, flows, pollMs) {
        yield;
        told.push(['starts', flows.map(({ dport }) => dport), pollMs]);
      },
    },
    sessionLog: {
      *writeSessions(_, { routerId }) {
        yield;
        told.push(['sessions', routerId]);
      },
    },
    pollMs: 5000,
    factProvider: async () => ({
      describe: (address) => (address === '203.0.113.9' ? described.destination : null),
      describeSource: (address) => (address === '192.168.1.9' ? described.source : null),
      judge: ({ dport, host }) => (dport === 1 || host !== null ? threat : null),
    }),
    ...changes,
  });
  const held = opened.move();
  return { log, told, record, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

test('a table is written with its sessions and starts, then raised and published; a delivery without sessions', async () => {
  await using scene = await startRecorder();
  const { told, record } = scene;
  const session = { newSession: 'exact' as const };
  const router = { routerId: 'r1', kind: 'vendor_a' as const };
  const ports = [1, 2, 3].map((dport) => seen({ dport, ...session }));
  await record({ ...router, now: noon, observations: ports });
  const traffic = (count: number, at: number) =>
    Array.from({ length: count }, () => ['traffic', 'r1', '192.168.1.2', at]);
  const rest = ['threats', 'publish'];
  expect(told).toEqual([
    ...[...traffic(3, noon), ['starts', [], 5000], ['sessions', 'r1']],
    ...[
      [rest[0], [1]],
      [rest[1], 3],
    ],
  ]);
  told.length = 0;
  const later = noon + 1;
  const observations = [seen({ dport: 1, at: later, ...session }), seen({ dport: 2, at: later }), seen({ dport: 3 })];
  await record({ ...router, now: later, observations });
  expect(told).toEqual([
    ...traffic(2, later),
    ['starts', [1], 5000],
    ['sessions', 'r1'],
    ['threats', []],
    ['publish', 2],
  ]);
  told.length = 0;
  await record({
    ...{ routerId: 'desk', kind: 'agent', now: later, observations: [seen({ dport: 4 })] },
    *alsoWrite() {
      yield;
      told.push(['also']);
    },
    changed: { note: () => void told.push(['noted']), count: () => 0, read: async () => [] },
  });
  expect(told).toEqual([['noted'], ['starts', [], 5000], ['also'], ['threats', []]]);
});

test('new ends are described, and a flow is judged by the name of its destination', async () => {
  await using scene = await startRecorder();
  const batch = { routerId: 'r1', kind: 'vendor_a', now: noon } as const;
  const observations = [seen(), seen({ src: '192.168.1.9', dst: '203.0.113.9' })];
  await scene.record({ ...batch, observations });
  const of = (table: string, columns: string) => all(scene.log, `SELECT ${columns} FROM ${table} ORDER BY id`);
  expect(of('source', 'mac, vendor, dns_name, mdns_name, device_id')).toEqual([
    Array(5).fill(null),
    Object.values(described.source),
  ]);
  expect(of('destination', 'host, country, org, lat, lon, city')).toEqual([
    Array(6).fill(null),
    Object.values(described.destination),
  ]);
  expect(of('flow', 'threat_id')).toEqual([[null], [1]]);
  const sources: unknown[] = [];
  await scene.log.record([{ src: '192.168.1.7' }], { onRecorded: (report) => void sources.push(report.sources) });
  expect(sources).toEqual([{ count: 1, first: ['192.168.1.7'] }]);
});

test('threats that cannot be raised are told, and the batch is published; what cannot be written is not', async () => {
  const refused = async () => {
    throw new Error('no room');
  };
  await using scene = await startRecorder({ detection: { threats: refused } });
  const batch = { routerId: 'r1', kind: 'vendor_a', now: noon } as const;
  await scene.record({ ...batch, observations: [seen()] });
  expect(scene.told.slice(-2)).toEqual([
    ['error', 'threats of a poll could not be raised; the next poll tries again'],
    ['publish', 1],
  ]);
  scene.told.length = 0;
  await expect(scene.record({ ...batch, observations: [seen({ dst: 'no address' })] })).rejects.toThrow('no address');
  expect(scene.told).toEqual([]);
});
