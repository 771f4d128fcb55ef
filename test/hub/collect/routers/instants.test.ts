// When traffic was: a read that takes long moves no instant, and a flow that stands still is not renewed by it.
import { describe, expect, test } from 'vitest';
import { createActivity } from '#hub/collect/routers/activity.ts';
import type { RouterKind, Session } from '#hub/collect/routers/driver.ts';
import { createNatDetailReader } from '#hub/collect/routers/vendor-a/nat.ts';
import { createTranslationReader } from '#hub/collect/routers/vendor-b/nat.ts';
import { type Lab, startLab } from '../../../support/lab.ts';
import { kinds, nat } from './polls.ts';
import { sessionWith } from './tables.ts';

/** A table that was read to its end; when is of no concern here. */
const whole = { from: 0, to: 0 };
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
      const router = lab.routers.one;
      const sentAt = lab.clock.now();
      router.flow({ ...still, lastsMs: 1 });
      await lab.poll();
      const before = await seenOf(lab);
      expect(Math.abs((before.lastSeen ?? 0) - sentAt)).toBeLessThanOrEqual(1000);
      for (const command of slowCommands(kind)[what] ?? []) {
        router.fail('slow-output', { command, value: 300 });
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
    const { observations: seenA } = await createActivity().observe(a, whole);
    expect(seenA.map(({ at }) => at - askedAt)).toEqual([1_000 - 20_000, 16_000 - 20_000]);
    const b = tableOf('vendor_b', askedAt, [
      [1, rowB(1)],
      [2, agesB('00:01:00', '00:00:20')],
      [15, rowB(2)],
      [16, agesB('00:01:00', '00:00:20')],
    ]);
    const { observations: seenB } = await createActivity().observe(b, whole);
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
      const { observations } = await activity.observe(reader.end({ cut: false, noisy: 0 }).sessions, whole);
      return (observations[0]?.at ?? 0) - askedAt;
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

describe('from one read to the next', () => {
  const at = Date.UTC(2026, 2, 1, 3);
  const plain = sessionWith({ proto: 'UDP', sport: 1, dport: 123, printedFrom: at, printedTo: at });

  /** The last traffic by the second of two reads, after the first of them, in milliseconds. */
  async function second(first: Partial<Session>, then: Partial<Session>, laterMs: number): Promise<number> {
    const activity = createActivity();
    await activity.observe([{ ...plain, ...first }], whole);
    const printed = { printedFrom: at + laterMs, printedTo: at + laterMs };
    const { observations } = await activity.observe([{ ...plain, ...then, ...printed }], whole);
    return (observations[0]?.at ?? 0) - at;
  }

  test.each([
    ['as much remains as without traffic', 740, 60_000, 0],
    ['one second more: what the router rounds', 741, 60_000, 0],
    ['two seconds more', 742, 60_000, 60_000],
    ['one second more, almost a second later', 741, 60_999, 0],
    ['two seconds more, a second later', 741, 61_000, 61_000],
  ])('%s', async (_what, ttl, laterMs, traffic) => {
    expect(await second({ ttl: 800 }, { ttl }, laterMs)).toBe(traffic);
  });

  test('an idle time that may be rounded proves no traffic, a shorter one does', async () => {
    for (const [idleSec, traffic] of [
      [70, -10_000],
      [69, -10_000],
      [68, -8000],
    ] as const) {
      expect(await second({ idleSec: 10 }, { idleSec }, 60_000)).toBe(traffic);
    }
  });

  test('without any timer TCP counts as in use for an hour, anything else while it is there', async () => {
    const hour = 3_600_000;
    expect(await second({ proto: 'TCP' }, { proto: 'TCP' }, hour)).toBe(hour);
    expect(await second({ proto: 'TCP' }, { proto: 'TCP' }, hour + 1)).toBe(0);
    expect(await second({}, {}, hour + 1)).toBe(hour + 1);
  });

  test('a session that incomplete tables do not show is new again after ten of them', async () => {
    for (const [missing, newSession] of [
      [9, undefined],
      [10, 'poll'],
    ] as const) {
      const activity = createActivity();
      await activity.observe([plain], whole);
      for (let turn = 0; turn < missing; turn += 1) {
        await activity.observe([{ ...plain, sport: 2 }], null);
      }
      expect((await activity.observe([plain], whole)).observations[0]?.newSession).toBe(newSession);
    }
  });

  test('a session is new, since it was first shown, until it is stored; the same ports of another VRF are another', async () => {
    const activity = createActivity();
    await activity.observe([plain], whole);
    activity.stored();
    const blue = { ...plain, vrf: 'blue' };
    const read = async (minute: number) => {
      const printed = { printedFrom: at + minute * 60_000, printedTo: at + minute * 60_000 };
      const { observations } = await activity.observe(
        [plain, blue].map((one) => ({ ...one, ...printed })),
        whole,
      );
      return observations.map(({ newSession, startedAt }) => newSession && [newSession, (startedAt - at) / 60_000]);
    };
    expect([await read(1), await read(2)]).toEqual(Array(2).fill([undefined, ['poll', 1]]));
    activity.stored();
    expect(await read(3)).toEqual([undefined, undefined]);
  });
});
