// Bad input from routers: each has a state and a sentence that tells what to do, and history is untouched.
import { describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import type { RouterFault } from '#simulators/router/faults.ts';
import { startRouter } from '#simulators/router/start.ts';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import { type Lab, pollIntervalMs, recordOf, startLab } from '../../../support/lab.ts';
import { verifies } from '../../../support/verifies.ts';

type Two = Lab<'one' | 'other'>;

async function statusOf(lab: Lab<never> | Two, name: 'one' | 'other') {
  const { routers } = await lab.as.admin.routers.list({});
  const found = routers.find(({ displayName }) => displayName === name);
  if (!found) {
    throw new Error(`no router ${name}`);
  }
  return found;
}

async function historyOf(lab: Two) {
  const { connections } = await lab.as.admin.connections.list({ query: { sort: 'src', sortDir: 'asc' } });
  return connections.map(({ src, dst, dport, proto, firstSeen, observedBy }) => ({
    ...{ src, dst, dport, proto, firstSeen, observedBy },
  }));
}

async function twoRouters(kind: 'vendor_a' | 'vendor_b'): Promise<Two> {
  return startLab({ routers: { one: { kind, sessions: 40 }, other: { kind: 'vendor_b', seed: 9, sessions: 5 } } });
}

interface Row {
  fault: RouterFault;
  options?: FaultOptions;
  failure: string;
  says: RegExp;
  /** The open connection is closed first, so that the fault meets a new one. */
  reconnects?: true;
}

const rows: readonly Row[] = [
  { fault: 'login-refused', failure: 'auth_failed', says: /password.*not tried again until/s, reconnects: true },
  { fault: 'publickey-only', failure: 'auth_failed', says: /publickey/, reconnects: true },
  { fault: 'no-common-algorithm', failure: 'no_common_algorithm', says: /old SSH algorithms/i, reconnects: true },
  { fault: 'host-key-changed', failure: 'host_key_changed', says: /host key/i, reconnects: true },
  { fault: 'sessions-full', failure: 'closed_early', says: /session|line/i, reconnects: true },
  { fault: 'login-restricted', failure: 'login_restricted', says: /does not accept a login/, reconnects: true },
  { fault: 'hang', failure: 'silent_port', says: /port|answer/i, reconnects: true },
  { fault: 'not-ssh', failure: 'silent_port|closed_early', says: /SSH/, reconnects: true },
  { fault: 'closed-early', failure: 'closed_early', says: /closed/i, reconnects: true },
  {
    fault: 'stall',
    options: { command: 'show', afterBytes: 400 },
    failure: 'timed_out',
    says: /silent|answer|no .*byte/i,
  },
  {
    fault: 'truncated',
    options: { command: 'show', afterBytes: 900, value: 'end' },
    failure: 'cut_off',
    says: /closed|cut/i,
  },
  { fault: 'drop', options: { command: 'show', afterBytes: 900 }, failure: 'cut_off', says: /closed|cut/i },
  { fault: 'kicked', options: { command: 'show', afterBytes: 900 }, failure: 'cut_off', says: /closed|cut/i },
];

describe.each(['vendor_a', 'vendor_b'] as const)('%s', (kind) => {
  for (const { fault, options, failure, says, reconnects } of rows) {
    verifies('sim.router.faults rest.routers.read-runtime-status', `${kind} ${fault}`, async () => {
      await using lab = await twoRouters(kind);
      const before = await historyOf(lab);
      expect(before.length).toBeGreaterThan(20);
      const router = lab.routers.one;
      if (reconnects) {
        router.kick();
      }
      router.fail(fault, options);
      await lab.pollThroughSilence();
      const broken = await statusOf(lab, 'one');
      expect(broken.failure).toMatch(new RegExp(`^(${failure})$`));
      expect(['failed', 'reconnecting']).toContain(broken.state);
      expect(broken.message).toMatch(says);
      expect(broken.lastError).not.toContain(lab.routers.one.credentials.password);
      expect(broken.lastSuccessAt).not.toBeNull();
      expect(broken.nextPollAt === null).toBe(broken.message.includes('not tried again'));
      expect(await historyOf(lab)).toEqual(expect.arrayContaining(before));
      expect(await statusOf(lab, 'other')).toMatchObject({ state: 'ready', failure: null });
      router.clearFaults();
      await lab.as.admin.routers.update({ params: { id: lab.routers.one.id }, body: { enabled: true } });
      await lab.settled();
      expect(await statusOf(lab, 'one')).toMatchObject({ state: 'ready', failure: null, lastError: null });
      expect(router.violations.filter(({ kind: what }) => what !== 'password-retried')).toEqual([]);
    });
  }
});

test('a router that falls silent is given up after fifteen seconds, also when the clock is put back meanwhile', async () => {
  await using lab = await twoRouters('vendor_a');
  const router = lab.routers.one;
  router.fail('stall', { command: 'show', afterBytes: 400 });
  const asked = router.commands.length;
  await lab.clock.advance(pollIntervalMs);
  await expect.poll(() => router.commands.slice(asked).some((line) => line.startsWith('show'))).toBe(true);
  const putAt = lab.clock.now() - 3_600_000;
  lab.clock.put(putAt);
  await lab.settleThroughSilence();
  expect(await statusOf(lab, 'one')).toMatchObject({ state: 'reconnecting', failure: 'timed_out' });
  // What came just before counts from then on; virtual time goes in steps of five seconds.
  expect(lab.clock.now() - putAt).toBeLessThanOrEqual(35_000);
});

describe('a new host key', () => {
  test('is refused with both fingerprints, keeps the data, and works after it was approved', async () => {
    await using lab = await twoRouters('vendor_b');
    const pinned = lab.routers.one.hostKey;
    const fresh = await lab.routers.one.rotateHostKey();
    await lab.poll();
    const refused = await statusOf(lab, 'one');
    expect(refused).toMatchObject({ failure: 'host_key_changed' });
    expect(refused.message).toContain(pinned);
    expect(refused.message).toContain(fresh);
    expect(refused.hostKeyChange).toEqual({ known: pinned, presented: fresh });
    const { commands } = lab.routers.one;
    const typed = commands.length;
    await lab.poll();
    expect(lab.routers.one.commands.length).toBe(typed);
    await lab.as.admin.routers.update({ params: { id: lab.routers.one.id }, body: { hostFp: fresh } });
    await lab.settled();
    expect(await statusOf(lab, 'one')).toMatchObject({ state: 'ready', hostKeyChange: null });
  });
});

describe('wrong secrets', () => {
  test('a wrong password is tried once, then the hub waits until the record is edited', async () => {
    await using lab = await twoRouters('vendor_b');
    const wrong = recordOf(lab.routers.one, 'wrong', { pass: 'not the password' });
    const { router } = await lab.as.admin.routers.create({ body: wrong });
    await lab.settled();
    const attempts = () => lab.routers.one.journal().filter(({ kind }) => kind.startsWith('login-')).length;
    const after = attempts();
    await lab.poll();
    await lab.poll();
    expect(attempts()).toBe(after);
    const { password } = lab.routers.one.credentials;
    await lab.as.admin.routers.update({ params: { id: router.id }, body: { pass: password } });
    await lab.settled();
    const { routers } = await lab.as.admin.routers.list({});
    expect(routers.find(({ id }) => id === router.id)).toMatchObject({ state: 'ready', failure: null });
  });

  test('a wrong enable secret is typed once, named, and never tried again by itself', async () => {
    await using lab = await startLab();
    await using guarded = await startRouter('vendor_b', { clock: lab.clock, sessions: 5 });
    guarded.fail('privilege-error');
    await lab.as.admin.routers.create({ body: recordOf(guarded, 'one') });
    await lab.settled();
    const status = await statusOf(lab, 'one');
    expect(status).toMatchObject({ state: 'failed', failure: 'escalation_failed' });
    expect(status.message).toMatch(/enable/i);
    const typed = guarded.commands.filter((line) => line.startsWith('enable')).length;
    await lab.poll();
    expect(guarded.commands.filter((line) => line.startsWith('enable'))).toHaveLength(typed);
    expect(typed).toBe(1);
  });
});

describe('tables that are not what they seem', () => {
  test('garbage is dropped and counted, the table called incomplete, history kept', async () => {
    await using lab = await twoRouters('vendor_a');
    const before = await historyOf(lab);
    lab.routers.one.fail('garbage', { command: 'show nat descriptor address' });
    await lab.poll();
    const status = await statusOf(lab, 'one');
    expect(status.complete).toBe(false);
    expect(status.unparsed.count).toBeGreaterThan(0);
    for (const sample of status.unparsed.samples) {
      expect(sample).not.toMatch(/\p{Cc}/u);
    }
    expect(await historyOf(lab)).toEqual(expect.arrayContaining(before));
    const known = new Set(lab.routers.one.truth().map(({ src, dst }) => `${src} ${dst}`));
    const own = (await historyOf(lab)).filter(({ observedBy }) => observedBy.includes(lab.routers.one.id));
    expect(own.filter(({ src, dst }) => !known.has(`${src} ${dst}`))).toEqual([]);
  });

  test.each(['vendor_a', 'vendor_b'] as const)(
    '%s: rows read before a cut are kept, the cut is the state',
    async (kind) => {
      await using lab = await startLab();
      await using router = await startRouter(kind, {
        clock: lab.clock,
        sessions: 60,
        settings: { lines: 'infinity' },
        credentials: { privileged: true },
      });
      const command = kind === 'vendor_a' ? 'show nat descriptor address 1000 detail' : 'show ip nat translations';
      router.fail('truncated', { command, afterBytes: 2500, value: 'destroy' });
      await lab.as.admin.routers.create({ body: recordOf(router, 'one') });
      await lab.settled();
      expect(await statusOf(lab, 'one')).toMatchObject({ state: 'failed', failure: 'cut_off' });
      const { connections } = await lab.as.admin.connections.list({ query: {} });
      const truth = new Set(router.truth().map(({ src, dst, dport }) => `${src} ${dst} ${dport}`));
      expect(connections.length).toBeGreaterThan(3);
      expect(connections.length).toBeLessThan(truth.size);
      expect(connections.filter(({ src, dst, dport }) => !truth.has(`${src} ${dst} ${dport}`))).toEqual([]);
    },
  );

  test('a router whose clock is wrong makes no instant in the future, and none before its flows', async () => {
    await using lab = await startLab({ routers: { one: { kind: 'vendor_b', dialect: 'isr-xe17', sessions: 30 } } });
    lab.routers.one.fail('clock-skew', { value: 86_400_000 * 400 });
    await lab.poll();
    lab.routers.one.flow({ src: '192.168.100.9', dst: '203.0.113.9', dport: 443, proto: 'tcp' });
    await lab.poll();
    const { connections } = await lab.as.admin.connections.list({ query: {} });
    const now = lab.clock.now();
    for (const { firstSeen, lastSeen } of connections) {
      expect(lastSeen).toBeLessThanOrEqual(now);
      expect(firstSeen).toBeLessThanOrEqual(lastSeen);
      expect(now - lastSeen).toBeLessThan(86_400_000 * 2);
    }
  });

  test('a reboot is survived: back-off while it is down, no double row when it is back', async () => {
    await using lab = await twoRouters('vendor_b');
    await lab.routers.one.reboot(90_000);
    await lab.poll();
    expect(await statusOf(lab, 'one')).toMatchObject({ state: 'reconnecting', failure: 'unreachable' });
    await lab.advance(40_000);
    await systemClock.sleep(200);
    await lab.advance(80_000);
    expect(await statusOf(lab, 'one')).toMatchObject({ state: 'ready' });
    const keys = (await historyOf(lab)).map(({ src, dst, dport, proto }) => `${src} ${dst} ${dport} ${proto}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

verifies(
  'rest.routers.two-kinds-mixed rest.connections.collected-from-routers rest.connections.observed-by-is-a-union',
  'routers of both kinds are collected side by side; a flow both saw is one connection with both ids',
  async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
    const shared = { src: '192.168.100.23', dst: '203.0.113.80', dport: 443, proto: 'tcp' } as const;
    lab.routers.a.flow(shared);
    lab.routers.b.flow(shared);
    lab.routers.b.flow({ ...shared, dst: '203.0.113.81' });
    await lab.poll();
    const { connections } = await lab.as.admin.connections.list({ query: { sort: 'dst', sortDir: 'asc' } });
    expect(connections).toMatchObject([
      {
        dst: '203.0.113.80',
        observedBy: [lab.routers.a.id, lab.routers.b.id].sort(),
        source: 'vendor_a+vendor_b',
        proto: 'TCP',
      },
      { dst: '203.0.113.81', observedBy: [lab.routers.b.id], source: 'vendor_b' },
    ]);
    expect([lab.routers.a.violations, lab.routers.b.violations]).toEqual([[], []]);
  },
);

verifies(
  'sim.router.learnt-prompt card.ships.vendor-a-simulator card.ships.vendor-b-simulator',
  'whatever the prompt is, it is learnt: empty, with spaces and brackets, or with prompt signs inside',
  async () => {
    const named = (kind: 'vendor_a' | 'vendor_b', hostName: string) => ({ kind, sessions: 10, settings: { hostName } });
    await using lab = await startLab({
      routers: {
        empty: named('vendor_a', ''),
        spaced: named('vendor_a', '(office RTX 2nd floor) '),
        signs: named('vendor_a', 'a>b#c'),
        dotted: named('vendor_b', 'edge-1.example_net'),
        long: named('vendor_b', 'r'.repeat(63)),
      },
    });
    const { routers } = await lab.as.admin.routers.list({});
    expect(routers.map(({ state, complete, hostName }) => ({ state, complete, hostName }))).toEqual(
      ['', '(office RTX 2nd floor)', 'a>b#c', 'edge-1.example_net', 'r'.repeat(63)].map((hostName) => ({
        state: 'ready',
        complete: true,
        hostName,
      })),
    );
  },
);

verifies(
  'rest.connections.first-last-seen',
  'a connection shows signs of traffic, not presence in a table',
  async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
    const at = lab.clock.now();
    const once = { dport: 443, proto: 'tcp', lastsMs: 0, ends: 'silent' } as const;
    lab.routers.a.flow({ ...once, src: '192.168.100.23', dst: '203.0.113.80' });
    lab.routers.b.flow({ ...once, src: '192.168.100.24', dst: '203.0.113.81' });
    await lab.poll();
    await lab.poll();
    await lab.poll();
    const { connections } = await lab.as.admin.connections.list({ query: {} });
    expect(connections).toHaveLength(2);
    for (const { firstSeen, lastSeen } of connections) {
      expect(firstSeen).toBe(at);
      expect(lastSeen).toBe(at);
    }
    await lab.restart();
    expect((await lab.as.admin.connections.list({ query: {} })).connections).toEqual(connections);
  },
);
