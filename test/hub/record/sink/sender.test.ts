// Closed hours on their way to a simulated ClickHouse: what is sent, what again, and what a failure leaves behind.
import { expect, test } from 'vitest';
import { resendToSink } from '#hub/base/storage/restore/carry-over.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { pruneConnections } from '#hub/record/connections/upkeep/prune.ts';
import { hour, noon } from '../../../support/connection-log.ts';
import { afterNoon, rowsOfLog, rowsOfServer, startSinkLab } from '../../../support/sink-lab.ts';

const flows = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) => ({ dst: `203.0.113.${index + 1}`, at }));

test('an hour is sent once it is closed, with what is known of both ends', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  await lab.log.record([...flows(3, noon + 60_000), { dst: '198.51.100.7', at: noon + hour + 1000 }]);
  await lab.log.describe('destination', '203.0.113.1', {
    country: 'NL',
    org: "Example\tOrg's \\ own",
    host: 'www.test',
  });
  await lab.log.describe('source', '192.168.1.2', { dns_name: 'desk.lan', device_id: 'device-1' });
  await lab.log.judge('203.0.113.2', { tag: 'botnet' });
  await lab.sendAll();
  const held = server.rows.held();
  expect(held).toHaveLength(3);
  const of = (dst: string) => held.find(({ values }) => values.dst === dst)?.values;
  expect(of('203.0.113.1')).toMatchObject({
    ...{ hub: 'attic', src: '192.168.1.2', country: 'NL', org: "Example\\tOrg's \\\\ own", dst_host: 'www.test' },
    ...{ src_dns_name: 'desk.lan', device: 'device-1', observers: "['vendor-a-1']", source: 'vendor_a' },
  });
  expect(of('203.0.113.2')).toMatchObject({ threat_level: 'danger', threat_source: 'feed_ioc', threat_tag: 'botnet' });
  expect(lab.store.backlog()).toMatchObject({ hours: 0, rows: 0, oldest: null });
});

test('a late sighting and a new verdict send the hour again, and nothing else', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  await lab.log.record(flows(2, noon));
  await lab.log.record(flows(2, noon + hour));
  lab.time.now += hour;
  await lab.sendAll();
  expect(server.rows.inserted).toBe(4);
  await packHours(lab.log.db, lab.time.now);
  await lab.log.record([{ dst: '203.0.113.9', at: noon + 1000 }], { now: lab.time.now });
  await lab.sendAll();
  expect(server.rows.inserted).toBe(7);
  await lab.log.judge('203.0.113.9', {});
  await lab.sendAll();
  expect(server.rows.inserted).toBe(10);
  await lab.sendAll();
  expect(server.rows.inserted).toBe(10);
  expect(rowsOfServer(server)).toEqual(rowsOfLog(lab.log, lab.time.now - 300_000));
});

test('an organisation that became known is sent with the next hour, or a day later', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  await lab.log.record(flows(1, noon));
  await lab.sendAll();
  await lab.log.describe('destination', '203.0.113.1', { org: 'Example Org' });
  await lab.log.record(flows(1, noon + hour));
  lab.time.now += hour;
  await lab.sendAll();
  expect(rowsOfServer(server)).toEqual(rowsOfLog(lab.log, lab.time.now - 300_000));
  await lab.log.describe('destination', '203.0.113.1', { country: 'NL' });
  lab.time.now += 24 * hour;
  await lab.sendAll();
  expect(rowsOfServer(server)).toEqual(rowsOfLog(lab.log, lab.time.now - 300_000));
});

test('an hour of many rows is cut into inserts of 5,000 to 10,000', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  const many = Array.from({ length: 12_000 }, (_, index) => ({ dst: `10.${index >> 8}.${index & 255}.1`, at: noon }));
  await lab.log.record(many);
  await lab.sendAll();
  const inserts = server
    .journal()
    .filter(({ kind }) => kind === 'answer')
    .map(({ rows }) => rows);
  expect(inserts).toEqual([6000, 12_000]);
  expect(rowsOfServer(server)).toEqual(rowsOfLog(lab.log, afterNoon));
});

test.each(['lost-answer', 'cut-connection', 'unavailable'] as const)(
  'after %s the same insert comes again: no row is missing, none is there twice',
  async (fault) => {
    await using scene = await startSinkLab();
    const { lab, server } = scene;
    await lab.log.record(flows(5, noon));
    server.fail(fault, { times: 1 });
    await expect(lab.sendAll()).rejects.toThrow('ClickHouse');
    expect(lab.store.backlog()).toMatchObject({ hours: 1, rows: 5 });
    await lab.sendAll();
    const tokens = server
      .journal()
      .filter(({ kind }) => kind === 'request')
      .map(({ token }) => token);
    expect(new Set(tokens).size).toBe(1);
    expect(server.rows).toMatchObject({ inserted: 5, repeated: 0 });
    expect(rowsOfServer(server)).toEqual(rowsOfLog(lab.log, afterNoon));
  },
);

test('after an answer was lost and the hub ended, the rows replace those that are there', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  await lab.log.record(flows(5, noon));
  server.fail('lost-answer', { times: 1 });
  await expect(lab.sendAll()).rejects.toThrow('ClickHouse');
  await lab.restart();
  await lab.sendAll();
  expect(server.rows).toMatchObject({ inserted: 10, repeated: 0 });
  expect(rowsOfServer(server)).toEqual(rowsOfLog(lab.log, afterNoon));
});

test('hours that the retention removed before they were sent are counted, and the others are sent', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  await lab.log.record(flows(2, noon));
  await lab.log.record(flows(2, noon + hour));
  lab.time.now += hour;
  await lab.sender().look(new AbortController().signal);
  await pruneConnections(lab.log.db, noon + hour);
  await lab.sendAll();
  expect(lab.store.state().lostHours).toBe(1);
  expect(server.rows.held()).toHaveLength(2);
});

test('a clock that is put back loses no hour, and an hour that was refused is tried after six hours at the latest', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  await lab.log.record(flows(2, noon));
  await lab.log.record([{ dst: '203.0.113.66', at: noon + hour }]);
  lab.time.now += hour;
  server.fail('bad-row', { value: '203.0.113.66' });
  await lab.sendAll({ ridesOut: true });
  expect(lab.store.backlog()).toMatchObject({ hours: 1, refused: 1 });
  server.clearFaults();
  lab.time.now -= 24 * hour;
  await lab.sender().look(new AbortController().signal);
  expect(lab.store.state().lostHours).toBe(0);
  await lab.sendAll();
  expect(lab.store.backlog()).toMatchObject({ hours: 0 });
  lab.time.now += 24 * hour;
  await lab.sendAll();
  expect(lab.store.state().lostHours).toBe(0);
  expect(rowsOfServer(server)).toEqual(rowsOfLog(lab.log, lab.time.now - 300_000));
});

test('hours that waited to be compared wait to be sent after a restore', async () => {
  await using scene = await startSinkLab();
  const { lab } = scene;
  await lab.log.record(flows(2, noon));
  await lab.sendAll();
  await lab.log.record([{ dst: '203.0.113.9', at: noon + 1000 }], { now: lab.time.now });
  await lab.sender().look(new AbortController().signal);
  expect(lab.store.backlog()).toMatchObject({ hours: 0 });
  await lab.log.db.write((writer) => resendToSink.forEach((sql) => void writer.prepare(sql).run()));
  expect(lab.store.backlog()).toMatchObject({ hours: 1, oldest: noon / hour });
});

test('two hubs fill one table, and another database is filled from the beginning', async () => {
  await using scene = await startSinkLab();
  const { lab, server } = scene;
  await lab.log.record(flows(2, noon));
  await lab.sendAll();
  Object.assign(lab.settings, { hub: 'cellar' });
  await lab.restart();
  await lab.sendAll();
  expect(rowsOfServer(server, 'cellar')).toEqual(rowsOfServer(server, 'attic'));
  expect(server.rows.held()).toHaveLength(4);
});
