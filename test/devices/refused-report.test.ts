// A router's report that the database refuses: the traffic noted for it goes with the next one.
import { expect, test } from 'vitest';
import { openLan } from '../support/lan.ts';

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
