// Polls whose record the database refuses: what they were the first to see is stored by the next one.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Start, unpackStarts } from '#hub/analyse/beacons/packed-starts.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { startRouter } from '#simulators/router/start.ts';
import { refuseInserts } from '../../../support/held-writes.ts';
import { type Lab, recordOf, startLab } from '../../../support/lab.ts';

type One = Lab<'a'>;

const minute = 60_000;
const known = { src: '192.168.100.23', dst: '203.0.113.80', dport: 443, proto: 'tcp', lastsMs: 20 * minute } as const;

/** A router whose log knows one flow; its session has ended. */
async function labWithKnownFlow(dialect: string): Promise<One> {
  const kind = dialect.startsWith('rtx') ? 'vendor_a' : 'vendor_b';
  const lab = await startLab({ routers: { a: { kind, dialect } } });
  const first = lab.routers.a.flow(known);
  await lab.poll();
  first?.end('fin');
  await lab.poll();
  await lab.poll();
  await lab.poll();
  expect(lab.routers.a.truth().filter(({ fixed }) => !fixed)).toEqual([]);
  return lab;
}

const stateOf = async (lab: Lab<never>) => (await lab.as.admin.routers.list({})).routers[0];

/** Polls again when the router's next poll is due. */
async function pollAgain(lab: Lab<never>): Promise<void> {
  const { nextPollAt } = (await stateOf(lab)) ?? {};
  await lab.advance((nextPollAt ?? 0) - lab.clock.now());
}

async function storedStarts(lab: One): Promise<Start[]> {
  await using db = { db: new Db(path.join(lab.dataDir, 'monitor.db')), [Symbol.asyncDispose]: () => db.db.close() };
  const rows = db.db.prepare('SELECT slot, starts FROM session_start ORDER BY slot').all();
  return (rows as { slot: number; starts: Uint8Array }[]).flatMap(({ slot, starts }) => unpackStarts(slot, starts));
}

describe.each(['rtx1300-en', 'c841m-ios155', 'isr-xe17'])('%s', (profile) => {
  test.each(['flow', 'session_start'])(
    'a session that began before a refused write of %s keeps its start',
    async (table) => {
      await using lab = await labWithKnownFlow(profile);
      const allow = await refuseInserts(lab, table);
      const router = lab.routers.a;
      router.flow(known);
      router.flow({ ...known, dst: '203.0.113.81' });
      await lab.poll();
      const began = lab.clock.now();
      expect(await stateOf(lab)).toMatchObject({ failure: 'save_failed', lastErrorAt: began });
      await pollAgain(lab);
      expect(await stateOf(lab)).toMatchObject({ failure: 'save_failed', lastErrorAt: lab.clock.now() });
      expect(await storedStarts(lab)).toEqual([]);
      await allow();
      await pollAgain(lab);
      expect(await stateOf(lab)).toMatchObject({ state: 'ready' });
      const [start, ...others] = await storedStarts(lab);
      expect(others).toEqual([]);
      expect(Math.abs((start?.at ?? 0) - began)).toBeLessThanOrEqual(minute);
      await lab.poll();
      expect(await storedStarts(lab)).toEqual([start]);
    },
  );
});

test('leases and neighbours that could not be stored are read again by the next poll', async () => {
  await using lab = await startLab();
  const allow = await refuseInserts(lab, 'device');
  await using router = await startRouter('vendor_b', { clock: lab.clock, hosts: 3 });
  await lab.as.admin.routers.create({ body: recordOf(router, 'a') });
  await lab.settled();
  const asked = () => router.commands.filter((line) => line === 'show ip dhcp binding').length;
  const found = async () => (await lab.as.admin.devices.list({})).devices.length;
  expect(await stateOf(lab)).toMatchObject({ failure: 'save_failed' });
  expect([asked(), await found()]).toEqual([1, 0]);
  await allow();
  await pollAgain(lab);
  expect(await stateOf(lab)).toMatchObject({ state: 'ready' });
  expect([asked(), await found()]).toEqual([2, 3]);
  await lab.poll();
  expect(asked()).toBe(2);
});
