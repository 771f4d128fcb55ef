// What a detail says of the machine behind a connection, of its observers and of its origins, from rows as they are stored.
import { expect, test } from 'vitest';
import type { Connection } from '#contract/model.ts';
import { toDetail } from '#hub/record/connections/detail/answer.ts';
import { readDetail, type StoredDetail } from '#hub/record/connections/detail/query.ts';
import { hour, noon, openConnectionLog, openReader, seen } from '../../../support/connection-log.ts';

const { src, dst } = seen();

async function startScene() {
  await using opened = new AsyncDisposableStack();
  const log = opened.use(openConnectionLog());
  await log.record([{ at: noon }], { routerId: 'r1' });
  await log.record([{ at: noon + hour }], { routerId: 'r2', kind: 'vendor_b' });
  const reader = opened.use(openReader(log));
  const held = opened.move();
  return {
    log,
    write: (...statements: string[]) =>
      log.db.write((writer) => {
        for (const sql of statements) {
          writer.prepare(sql).run();
        }
      }),
    detail: () => readDetail(reader, seen()) as StoredDetail,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const agent = (id: number, first: number, last: number) => [
  `INSERT INTO agent (id, agent_id, platform, host_name, os_version, agent_version, created_at, updated_at)
   VALUES (${id}, 'a${id}', 'linux', 'host${id}', '1', '1', 1, 1)`,
  `INSERT INTO agent_address (address, agent, first_at, last_at) VALUES ('${src}', ${id}, ${first}, ${last})`,
];

test('the Agent of a connection is the latest one that had its address while it was seen', async () => {
  await using scene = await startScene();
  const { detail, write } = scene;
  const subject = "INSERT INTO coverage_subject (kind, key, name, cannot_see) VALUES ('router', 'r1', 'Attic', '[]')";
  await write(subject, ...agent(1, noon - 9, noon - 1), ...agent(2, noon + hour + 1, noon + 2 * hour));
  const routers = [
    { id: 'r1', kind: 'vendor_a', name: 'Attic' },
    { id: 'r2', kind: 'vendor_b', name: null },
  ];
  expect([detail().agentId, detail().observers]).toEqual([null, routers]);
  await write(...agent(3, noon - 9, noon), ...agent(4, noon + hour, noon + hour));
  expect([detail().agentId, detail().observers]).toEqual([
    'a4',
    [...routers, { id: 'a4', name: 'host4', kind: 'agent' }],
  ]);
  await write('DELETE FROM agent_address WHERE agent = 4');
  expect(detail().agentId).toBe('a3');
});

test('the device of a connection is the one that had its address at the last sighting', async () => {
  await using scene = await startScene();
  const { detail, write } = scene;
  expect([detail().holder, detail().retro, detail().answers]).toEqual([null, null, []]);
  const lease = (device: number, since: number, until: number | null) => [
    `INSERT INTO device (id, device_id, root, first_seen, last_seen, mdns_name) VALUES (${device}, 'd${device}', ${device}, 1, 2, 'm${device}')`,
    `INSERT INTO lease (address, family, device, mac, observer_id, since, last_seen, until)
     VALUES ('${src}', 4, ${device}, '02:00:5e:10:00:0${device}', 'r1', ${since}, 2, ${until})`,
  ];
  const last = noon + hour;
  await write(...lease(1, noon - 5, last), ...lease(2, last, last + 1), ...lease(3, last + 1, null));
  const holder = { deviceId: 'd2', name: 'm2', mac: '02:00:5e:10:00:02', vendor: null, since: last, until: last + 1 };
  expect(detail().holder).toEqual({ ...holder, routerId: 'r1', routerName: null });
  await write(
    `INSERT INTO retro_match (flow_id, source_id, destination_id, feed, cause, previous_at, listed_at)
     VALUES (1, 1, 1, 'feed_c2', 'list', 5, 9)`,
    "INSERT INTO destination_answer (destination_id, kind, at, until, host) VALUES (1, 'dns', 7, 8, 'a.example')",
  );
  expect(detail().retro).toEqual({ feed: 'feed_c2', cause: 'list', previousAt: 5, listedAt: 9 });
  const none = { country: null, org: null, lat: null, city: null };
  expect(detail().answers).toEqual([{ kind: 'dns', at: 7, host: 'a.example', ...none }]);
  const { device } = answerOf(detail());
  expect(device).toEqual(holder);
});

const peers = (vendors: { name: string; version: string } | null) => ({
  localOrigins: () => ({
    facts: { country: null, org: null, lat: null, lon: null, city: null },
    ...{ country: null, org: null, place: null },
  }),
  vendorData: () => vendors,
  evidence: () => null,
});
const answerOf = (stored: StoredDetail) => toDetail(stored, peers(null));

test('a detail says who saw the connection, and when the machine has no Agent or one that is silent', async () => {
  await using scene = await startScene();
  const stored = scene.detail();
  expect(answerOf(stored)).toMatchObject({ id: `${src},${dst},443,TCP`, device: null, threatEvidence: null });
  const verdict = (agentHost: string | null, observedBy: string[], agentId: string | null) => {
    const connection: Connection = { ...stored.connection, agentHost, observedBy };
    return answerOf({ ...stored, connection, agentId }).reconciliation;
  };
  expect([
    verdict('desk', ['r1'], 'a1').verdict,
    verdict('desk', [], 'a1').verdict,
    verdict(null, ['r1'], null).verdict,
    verdict(null, ['r1'], 'a1').verdict,
  ]).toEqual(['both', 'agent_only', 'no_agent', 'router_only']);
  expect(verdict(null, ['r1'], 'a1')).toMatchObject({ agentId: 'a1', explanation: expect.stringContaining('/a1/') });
});

test('the answer has what limits it and the time, and an unknown connection is said to be none', async () => {
  await using scene = await startScene();
  const { log } = scene;
  const { dport, proto } = seen();
  const answer = await log.ask('detail', {}, { id: { src, dst, dport, proto } });
  expect(answer).toMatchObject({ judged: 'full', coverage: { share: 1 }, serverTime: noon, origins: [] });
  expect(answer.connection).toEqual((await log.list()).connections[0]);
  const other = log.ask('detail', {}, { id: { src, dst, dport: 1, proto } });
  await expect(other).rejects.toMatchObject({ code: 'not_found', status: 404 });
});

test('what is known of the source comes from its router, its device and the list of makers, or from before', async () => {
  await using scene = await startScene();
  const stored = scene.detail();
  const [mac, version] = ['02:00:5e:10:00:01', { name: 'oui', version: '1' }];
  const names = { srcMac: mac, srcVendor: 'Acme', srcDnsName: 'd.lan', srcMdnsName: 'm' };
  const holder = {
    deviceId: 'd1',
    name: null,
    mac,
    vendor: null,
    since: 5,
    until: null,
    routerId: 'r1',
    routerName: null,
  };
  const origins = (changes: Partial<StoredDetail>, vendors: typeof version | null = version) =>
    toDetail({ ...stored, connection: { ...stored.connection, ...names }, ...changes }, peers(vendors)).origins.map(
      ({ field, from, name, at }) => [field, from, name, at],
    );
  const device = ['device', 'd1', null];
  expect(origins({ holder })).toEqual([
    ['srcMac', 'router', 'r1', 5],
    ['srcVendor', 'embedded', 'oui', null],
    ['srcDnsName', ...device],
    ['srcMdnsName', ...device],
  ]);
  expect(origins({ holder: { ...holder, routerName: 'Attic' } })[0]).toEqual(['srcMac', 'router', 'Attic', 5]);
  const before = ['earlier', null, null];
  expect(origins({ holder: { ...holder, mac: 'other' } })[0]).toEqual(['srcMac', ...before]);
  expect(origins({ holder: null }, null)).toEqual(
    ['srcMac', 'srcVendor', 'srcDnsName', 'srcMdnsName'].map((field) => [field, ...before]),
  );
  expect(toDetail({ ...stored, holder }, peers(version)).origins).toEqual([]);
});
