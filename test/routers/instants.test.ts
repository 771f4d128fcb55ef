// When traffic was: a read that takes long moves no instant, and a flow that stands still is not renewed by it.
import { describe, expect, test } from 'vitest';
import { createActivity } from '#hub/routers/activity.ts';
import type { RouterKind } from '#hub/routers/driver.ts';
import { createNatDetailReader } from '#hub/routers/vendor-a/nat.ts';
import { createTranslationReader } from '#hub/routers/vendor-b/nat.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { kinds, nat } from './polls.ts';

const still = { src: '192.168.100.23', dst: '203.0.113.80', dport: 4500, proto: 'udp' } as const;

async function seenOf(lab: Lab<'one'>) {
  const { connections } = await lab.as.admin.connections.list({ query: {} });
  const row = connections.find(({ dst, dport }) => dst === still.dst && dport === still.dport);
  return { firstSeen: row?.firstSeen, lastSeen: row?.lastSeen };
}

const slowCommands = (kind: RouterKind): Record<string, readonly string[]> => ({
  'what follows the table': kind === 'vendor_a' ? ['show arp', 'show ipv6'] : ['show ip arp', 'show ipv6'],
  'the table': [nat(kind)],
});

describe.each(kinds)('%s', (kind) => {
  test.each(Object.keys(slowCommands(kind)))(
    '%s takes 15 s or more: the last packet stays where it was',
    async (what) => {
      await using lab = await startLab({
        routers: { one: { kind, sessions: 20, credentials: { privileged: kind === 'vendor_b' } } },
      });
      const { control } = lab.routers.one;
      const sentAt = lab.clock.now();
      control.flow({ ...still, lastsMs: 1 });
      await lab.poll();
      const before = await seenOf(lab);
      expect(Math.abs((before.lastSeen ?? 0) - sentAt)).toBeLessThanOrEqual(1000);
      for (const command of slowCommands(kind)[what] ?? []) {
        control.fail('slow-output', { command, value: 300 });
      }
      const startedAt = lab.clock.now();
      await lab.pollThroughSilence();
      const { routers } = await lab.as.admin.routers.list({});
      expect(routers).toMatchObject([{ state: 'ready', complete: true }]);
      expect((routers[0]?.lastSuccessAt ?? 0) - startedAt).toBeGreaterThanOrEqual(60_000 + 15_000);
      expect(await seenOf(lab)).toEqual(before);
    },
  );
});

describe('rows that come over 17 s', () => {
  const head = ['Reference Descriptor : 1000, Assigned Interface : LAN2(1)'];
  const askedAt = Date.UTC(2026, 2, 1, 3);

  /** The table of one read: each line with the second it comes at, after the table was asked for. */
  function tableOf(kind: RouterKind, from: number, lines: readonly (readonly [number, string])[]) {
    let at = from;
    const now = () => at;
    const reader = kind === 'vendor_a' ? createNatDetailReader({ now }) : createTranslationReader({ now });
    for (const [second, line] of lines) {
      at = from + second * 1000;
      reader.push(line);
    }
    at = from + 17_000;
    return reader.end({ cut: false, noisy: 0 }).sessions;
  }
  const rowA = (port: number, ttl: number) => `UDP 192.168.100.2.${port} 192.0.2.179.123 60000 ${ttl}`;
  const rowB = (port: number) => `udp 203.0.113.24:${port} 192.168.100.2:${port} 192.0.2.179:123 192.0.2.179:123`;
  const agesB = (create: string, use: string) =>
    `    create ${create}, use ${use} timeout:300000, left 00:04:00, Map-Id(In): 2,`;

  test('an age counts from when its line was there, whatever came later', async () => {
    const a = tableOf('vendor_a', askedAt, [
      [0, head[0] ?? ''],
      [1, rowA(1, 880)],
      [16, rowA(2, 880)],
    ]);
    const seenA = await createActivity().observe(a, true);
    expect(seenA.map(({ at }) => at - askedAt)).toEqual([1_000 - 20_000, 16_000 - 20_000]);
    const b = tableOf('vendor_b', askedAt, [
      [1, rowB(1)],
      [2, agesB('00:01:00', '00:00:20')],
      [15, rowB(2)],
      [16, agesB('00:01:00', '00:00:20')],
    ]);
    const seenB = await createActivity().observe(b, true);
    expect(seenB.map(({ at }) => at - askedAt)).toEqual([2_000 - 20_000, 16_000 - 20_000]);
    expect(seenB.map(({ startedAt }) => startedAt - askedAt)).toEqual([2_000 - 60_000, 16_000 - 60_000]);
  });

  test('what may have been printed early proves no traffic; what cannot have been, does', async () => {
    const activity = createActivity();
    const read = async (from: number, second: number, ttl: number, timerSec: number | null) => {
      let at = from;
      const reader = createNatDetailReader({ now: () => at, timerSec });
      at = from + second * 1000;
      reader.push(rowA(1, ttl));
      return ((await activity.observe(reader.end({ cut: false, noisy: 0 }).sessions, true))[0]?.at ?? 0) - askedAt;
    };
    for (const timerSec of [900, null]) {
      const first = await read(askedAt, 1, 800, timerSec);
      // Printed as soon as the table was asked for, held up for 16 s: nothing has happened since.
      expect(await read(askedAt + 60_000, 16, 741, timerSec)).toBe(first);
      // More than can be left without traffic, however early either was printed.
      expect(await read(askedAt + 120_000, 1, 700, timerSec)).toBeGreaterThan(first);
    }
  });
});
