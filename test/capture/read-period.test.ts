// A period as the log has it: hours, order, hosts, what routers cannot show, and how much fits into a file.
import { expect, test } from 'vitest';
import { mostPeriod } from '#capture/period.ts';
import { readLogPeriod } from '#hub/record/connections/period/read-log.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { type ConnectionLog, hour, noon, openConnectionLog, openReader } from '../support/connection-log.ts';

const range = { from: noon / hour - 3, to: noon / hour + 1 };

function readPeriod(log: ConnectionLog) {
  using reader = openReader(log);
  return readLogPeriod(reader, range);
}

test('connections come in the order of their first sighting in the period, with every hour of it and no other', async () => {
  await using log = openConnectionLog();
  await log.record([{ dport: 1, at: noon - 4 * hour }]);
  await log.record([{ dport: 1, at: noon }]);
  await log.record([{ dport: 2, at: noon - 2 * hour + 5 }], { now: noon });
  await log.record([{ dport: 2, at: noon - 2 * hour + 9 }], { now: noon });
  await log.record([{ dport: 3, at: noon - 3 * hour }], { now: noon });
  await log.record([{ dport: 3, at: noon + 7 }]);
  await log.record([{ dport: 4, at: noon + hour }]);
  const expected = [
    {
      dport: 3,
      seen: [
        [0, 0, 1],
        [3 * hour + 7, 3 * hour + 7, 1],
      ],
    },
    { dport: 2, seen: [[hour + 5, hour + 9, 2]] },
    { dport: 1, seen: [[3 * hour, 3 * hour, 1]] },
  ];
  const { connections, header, leftOut } = readPeriod(log);
  expect(connections).toMatchObject(expected);
  expect(connections).toHaveLength(3);
  expect(leftOut).toBe(0);
  const iso = (at: number) => new Date(at).toISOString();
  expect(header).toMatchObject({ from: iso(noon - 3 * hour), to: iso(noon + hour), anonymised: false });
  await packHours(log.db, noon + 2 * hour);
  expect(readPeriod(log).connections).toEqual(connections);
});

test('protocols that no simulated router translates are left out and counted', async () => {
  await using log = openConnectionLog();
  await log.record([{ dport: 1 }, { dport: 2 }, { dport: 3 }]);
  await log.db.write((writer) => void writer.prepare("UPDATE flow SET proto = 'SCTP' WHERE dport < 3").run());
  const { connections, leftOut } = readPeriod(log);
  expect([connections.map(({ dport }) => dport), leftOut]).toEqual([[3], 2]);
});

test('hosts are the IPv4 sources of the period with a MAC, and have only names that DHCP can carry', async () => {
  await using log = openConnectionLog();
  const names = ['den-pc', 'Den PC', 'x'.repeat(63), 'x'.repeat(64), null];
  const mac = '00:00:5e:00:53:01';
  for (const [at, dns_name] of names.entries()) {
    await log.record([{ src: `192.168.1.${at + 1}` }]);
    await log.describe('source', `192.168.1.${at + 1}`, { mac, dns_name });
  }
  await log.record([{ src: '192.168.1.90' }, { src: 'fd00::1' }]);
  await log.describe('source', 'fd00::1', { mac });
  await log.record([{ src: '192.168.1.91', at: noon - 9 * hour }], { now: noon });
  await log.describe('source', '192.168.1.91', { mac });
  const shown = ['den-pc', null, 'x'.repeat(63), null, null];
  const { hosts } = readPeriod(log);
  expect(hosts).toEqual(shown.map((name, at) => ({ host: `192.168.1.${at + 1}`, mac, name })));
});

test('a log with more sightings than a file may have is refused with the hour up to which they fit', async () => {
  await using log = openConnectionLog();
  await log.record([{ at: noon - hour }]);
  await log.record([{ dport: 9, at: noon }]);
  const count = (observations: number) =>
    log.db.write((writer) => {
      writer.prepare('UPDATE flow_hour SET observations = ? WHERE hour = ?').run(observations, noon / hour - 1);
      writer.prepare('UPDATE flow_hour SET observations = 0 WHERE hour = ?').run(noon / hour);
    });
  await count(mostPeriod.sightings - 1);
  expect(readPeriod(log).connections).toHaveLength(2);
  await count(mostPeriod.sightings);
  const said = `more than 1000000 sightings up to ${new Date(noon + hour).toISOString()}: choose an earlier --to`;
  expect(() => readPeriod(log)).toThrow(said);
});
