// Reports of routers that go wrong: refused by the database, without neighbours, with a listener that fails.
import { expect, test } from 'vitest';
import { startDevices } from '#hub/identify/devices/devices.ts';
import { createSourceLabels } from '#hub/record/connections/store/source-labels.ts';
import { openLan } from '../../../support/lan.ts';
import { collectLog } from '../../../support/log-lines.ts';

test('traffic of a report that could not be stored counts with the next report', async () => {
  await using lan = openLan();
  const address = '192.168.1.9';
  await lan.poll({ arp: [[address, '00:00:5e:00:53:01']], traffic: [address] });
  await lan.clock.advance(60_000);
  const sql = `CREATE TRIGGER by_test BEFORE INSERT ON device BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`;
  await lan.db.write((writer) => void writer.prepare(sql).run());
  const heardAt = lan.clock.now();
  const stranger = ['192.168.1.10', '00:00:5e:00:53:02'] as const;
  await expect(lan.poll({ arp: [stranger], traffic: [address] })).rejects.toThrow('refused by the test');
  await lan.db.write((writer) => void writer.prepare('DROP TRIGGER by_test').run());
  await lan.clock.advance(60_000);
  await lan.poll({});
  expect(lan.device(address).lastSeen).toBe(heardAt);
});

test('a poll that did not ask for neighbours brings its leases', async () => {
  await using lan = openLan();
  const [address, mac] = ['192.168.1.9', '00:00:5e:00:53:01'];
  const asked = { observerId: 'vendor-a-1', kind: 'vendor_a', now: lan.clock.now() } as const;
  await lan.devices.report({ ...asked, neighbours: null, leases: [{ address, mac, clientId: null, name: 'laptop' }] });
  expect(lan.list()).toMatchObject([{ ip: address, dnsName: 'laptop' }]);
  await lan.devices.report({ ...asked, neighbours: null, leases: null });
  expect(lan.list()).toHaveLength(1);
});

test('a listener that fails is said in the log, and the others hear all the same', async () => {
  const { log, lines } = collectLog('error');
  await using lan = openLan({ log });
  const failed = new Error('failed by the test');
  const heard: string[] = [];
  const stops = [
    lan.signals.on('devicesChanged', () => {
      throw failed;
    }),
    lan.signals.on('devicesChanged', () => void heard.push('changed')),
    lan.signals.on('deviceAppeared', () => {
      throw failed;
    }),
    lan.signals.on('deviceAppeared', ({ address }) => void heard.push(address)),
  ];
  await lan.poll({ arp: [['192.168.1.9', '00:00:5e:00:53:01']] });
  const line = { msg: 'a listener of a signal failed', err: { message: 'failed by the test' } };
  expect(heard).toEqual(['changed', '192.168.1.9']);
  expect(lines).toMatchObject([line, line]);
  for (const stop of stops) {
    stop();
  }
  await lan.poll({ arp: [['192.168.1.10', '00:00:5e:00:53:02']] });
  expect(lines).toHaveLength(2);
  expect(heard).toHaveLength(2);
  expect(lan.told).toHaveLength(2);
});

test('a device is told although what follows its commit fails, and that is said in the log', async () => {
  await using lan = openLan();
  const { log, lines } = collectLog('error');
  const { db, clock, signals } = lan;
  const heard: number[] = [];
  const onMade = function* (_: unknown, made: readonly unknown[]) {
    heard.push(made.length);
    return () => {
      throw new Error('failed by the test');
    };
  };
  await using devices = startDevices({ db, clock, log, signals, sourceLabels: createSourceLabels, onMade });
  const sighting = {
    address: '192.168.1.9',
    mac: '00:00:5e:00:53:01',
    heardAt: clock.now(),
    sources: [],
    observerId: 'r',
  };
  await devices.record({ sightings: [sighting], observerId: 'r' });
  expect([heard, lan.told.map(({ address }) => address)]).toEqual([[1], ['192.168.1.9']]);
  expect(lines.map(({ msg }) => msg)).toEqual(['what follows the commit of new devices failed']);
});
