// Every named fault of the router simulators, met by a real poll: its class and sentence, or the same rows as without it.
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { FailureClass, RouterKind } from '#hub/collect/routers/driver.ts';
import { getDriver } from '#hub/collect/routers/drivers.ts';
import { toPublicNotes } from '#hub/collect/routers/notes.ts';
import { openShell, type ShellOptions } from '#hub/collect/routers/ssh.ts';
import { messageOf } from '#kernel/errors.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type RouterFault, routerFaults } from '#simulators/router/faults.ts';
import { type RouterOptions, startRouter } from '#simulators/router/start.ts';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import { collect, failureOf, keyOf, kinds, nat, optionsOf, shellOf, truthOf } from './polls.ts';

interface Broken {
  fault: RouterFault;
  kind: RouterKind;
  failure: FailureClass;
  options?: FaultOptions;
  router?: Partial<RouterOptions>;
  shell?: Partial<ShellOptions>;
}

const broken: Broken[] = kinds.flatMap((kind): Broken[] => [
  { fault: 'login-refused', kind, failure: 'auth_failed' },
  { fault: 'publickey-only', kind, failure: 'auth_failed' },
  { fault: 'no-common-algorithm', kind, failure: 'no_common_algorithm' },
  { fault: 'sessions-full', kind, failure: 'closed_early' },
  { fault: 'sessions-full', kind, failure: 'closed_early', options: { value: 'reset' } },
  { fault: 'closed-early', kind, failure: 'closed_early' },
  { fault: 'login-restricted', kind, failure: 'login_restricted' },
  { fault: 'hang', kind, failure: 'silent_port', shell: { handshakeMs: 700 } },
  { fault: 'not-ssh', kind, failure: 'silent_port', shell: { handshakeMs: 700 } },
  {
    fault: 'stall',
    kind,
    failure: 'timed_out',
    options: { afterBytes: 3000, command: nat(kind) },
    shell: { idleMs: 700 },
  },
  { fault: 'half-open', kind, failure: 'timed_out', options: { command: nat(kind) }, shell: { idleMs: 700 } },
  ...['destroy', 'end', 'close'].map(
    (value): Broken => ({
      fault: 'truncated',
      kind,
      failure: 'cut_off',
      options: { value, afterBytes: 3000, command: nat(kind) },
    }),
  ),
  { fault: 'drop', kind, failure: 'cut_off', options: { afterBytes: 3000, command: nat(kind) } },
  { fault: 'kicked', kind, failure: 'cut_off', options: { afterBytes: 100, command: nat(kind) } },
  { fault: 'reboot', kind, failure: 'cut_off', options: { command: nat(kind) } },
  { fault: 'reboot', kind, failure: 'unreachable' },
  { fault: 'secret-shown', kind, failure: 'closed_early', options: { value: 'greeting' } },
  { fault: 'secret-shown', kind, failure: 'auth_failed', options: { value: 'methods' } },
  { fault: 'secret-shown', kind, failure: 'cut_off', options: { value: 'hang-up', command: nat(kind) } },
  { fault: 'endless-banner', kind, failure: 'too_much_output', shell: { promptMs: 60_000 } },
]);

const special: Broken[] = [
  { fault: 'privilege-error', kind: 'vendor_b', failure: 'escalation_failed' },
  { fault: 'secret-shown', kind: 'vendor_b', failure: 'escalation_failed' },
  { fault: 'descriptor-missing', kind: 'vendor_a', failure: 'descriptor_missing' },
];

const harmless = kinds.flatMap((kind): [RouterKind, RouterFault, FaultOptions][] => [
  [kind, 'pager', {}],
  [kind, 'log-lines', {}],
  [kind, 'prompt-like-content', {}],
  [kind, 'echo-off', {}],
  [kind, 'slow-output', { value: 40_000 }],
  [kind, 'keyboard-interactive-only', {}],
  [kind, 'clock-skew', {}],
  [kind, 'table-full', {}],
  [kind, 'table-cleared', {}],
  [kind, 'dribble', {}],
  ...['prompt', 'banner', 'host-name'].map((value): [RouterKind, RouterFault, FaultOptions] => [
    kind,
    'secret-shown',
    { value },
  ]),
]);

const harmlessToOne: [RouterKind, RouterFault, FaultOptions][] = [
  ['vendor_a', 'wrap', {}],
  ['vendor_a', 'save-question', {}],
  ['vendor_a', 'character-set-changed', { value: 'ja.euc' }],
  ['vendor_a', 'character-set-changed', {}],
  ['vendor_a', 'character-set-ignored', {}],
  ['vendor_a', 'prompt-character-set', {}],
  ['vendor_b', 'unknown-command', { command: 'show ip nat translations verbose' }],
];

test('every fault the simulator knows is met here', () => {
  // Answers of 8 and 64 MB are in test/e2e/router-endless, and in bounds.test.ts without SSH.
  const met = new Set<string>(['garbage', 'host-key-changed', 'endless', 'endless-line']);
  for (const { fault } of [...broken, ...special]) {
    met.add(fault);
  }
  for (const [, fault] of [...harmless, ...harmlessToOne]) {
    met.add(fault);
  }
  expect([...met].sort()).toEqual(Object.keys(routerFaults).sort());
});

describe('faults that end a poll', () => {
  test.each([...broken, ...special])(
    '$fault on $kind: $failure',
    async ({ fault, kind, failure, options, router: more, shell }) => {
      await using router = await startRouter(kind, { sessions: 100, ...more });
      const settings = { nat: String(router.settings.natDescriptor) };
      router.fail(fault, options);
      const error = await failureOf(collect(router, shell, settings));
      expect(`${error.failure}: ${error.message}`).toMatch(new RegExp(`^${failure}: `));
      expect(error.message).toMatch(/\w{3}.*[.!]$/s);
      const said = JSON.stringify([error.message, error.facts, error.stack, messageOf(error.cause)]);
      expect(said).not.toContain(router.credentials.password);
      expect(said).not.toContain(router.credentials.enable);
      expect(router.violations).toEqual([]);
    },
  );

  test.each(kinds)('%s: a secret that is echoed and refused is in nothing that is said', async (kind) => {
    await using router = await startRouter(kind);
    router.fail('secret-shown');
    const { enable } = router.credentials;
    await using shell = await shellOf(router, { secrets: [enable ?? ''] });
    const error = await failureOf(shell.escalate(kind === 'vendor_a' ? 'administrator' : 'enable', enable ?? ''));
    expect(error.failure).toBe('escalation_failed');
    expect(JSON.stringify([error.message, error.facts, error.stack])).not.toContain(enable);
    expect(router.journal()).toContainEqual(expect.objectContaining({ kind: 'secret-shown', right: true }));
  });

  test('no answer at the address at all', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const target = { host: '127.0.0.1', port, user: 'u', password: 'p', legacyAlgorithms: false, pinnedHostFp: null };
    const error = await failureOf(openShell({ ...target, clock: systemClock }));
    expect(error).toMatchObject({ failure: 'unreachable', facts: { cause: 'ECONNREFUSED' } });
  });

  test('a wrong password is tried once, and the methods are named', async () => {
    await using router = await startRouter('vendor_b');
    const error = await failureOf(shellOf(router, { password: 'not-the-password' }));
    expect(error.failure).toBe('auth_failed');
    expect(error.facts.methods).toContain('password');
    expect(router.violations).toEqual([]);
  });

  test('a wrong enable secret is typed once, and nothing after it', async () => {
    await using router = await startRouter('vendor_b');
    const error = await failureOf(collect(router, {}, { enablePass: 'not-the-secret' }));
    expect(error.failure).toBe('escalation_failed');
    expect(error.message).toContain('enable secret');
    expect(error.message).not.toContain('not-the-secret');
    expect(JSON.stringify(router.journal())).not.toContain('not-the-secret');
    expect(router.violations).toEqual([]);
  });

  test('without the secret the table cannot be read, and detection says so instead of failing', async () => {
    await using router = await startRouter('vendor_b', { sessions: 5 });
    const error = await failureOf(collect(router, {}, { enablePass: null }));
    expect(error.failure).toBe('privilege');
    await using shell = await shellOf(router);
    const detected = await getDriver('vendor_b').detect(shell, optionsOf(router, { enablePass: null }));
    expect(detected).toMatchObject({
      ...{ privilegeError: 'The NAT table cannot be read by this user: enter the enable secret.', notes: [] },
      ...{ sessionsOk: false, sessions: 0, isExpectedOs: true },
    });
  });

  test('another host key is refused with both fingerprints, and works when it is the pinned one', async () => {
    await using router = await startRouter('vendor_a', { sessions: 1 });
    const known = router.hostKey;
    router.fail('host-key-changed');
    const presented = (await failureOf(shellOf(router, { pinnedHostFp: known }))).facts.presented ?? '';
    expect(presented).toMatch(/^[\da-f]{64}$/);
    const error = await failureOf(shellOf(router, { pinnedHostFp: known }));
    expect(error).toMatchObject({ failure: 'host_key_changed', facts: { known, presented } });
    expect(error.message).toContain(known);
    expect(error.message).toContain(presented);
    await using shell = await shellOf(router, { pinnedHostFp: presented });
    expect(shell.hostFp).toBe(presented);
  });

  test.each(kinds)('%s: a driver of the other kind says so', async (kind) => {
    await using router = await startRouter(kind);
    const other = kind === 'vendor_a' ? 'vendor_b' : 'vendor_a';
    await using shell = await shellOf(router);
    const error = await failureOf(getDriver(other).collect(shell, optionsOf(router, { nat: '1000' })));
    expect(error.failure).toBe('wrong_vendor');
    expect(error.message).toContain(`(${kind}`);
  });

  test('the descriptors there are take the place of the missing one in the message', async () => {
    await using router = await startRouter('vendor_a', { sessions: 3 });
    router.fail('descriptor-missing', { value: 4242 });
    const error = await failureOf(collect(router, {}, { nat: '1000' }));
    expect(error).toMatchObject({ failure: 'descriptor_missing', facts: { descriptor: '1000', candidates: '4242' } });
    expect(error.message).toContain('4242');
  });
});

describe('faults a poll reads through', () => {
  test.each([...harmless, ...harmlessToOne])('%s: %s', async (kind, fault, options) => {
    // Byte by byte, each in a packet of its own: a few rows show what many would.
    await using router = await startRouter(kind, { sessions: fault === 'dribble' ? 10 : 60 });
    router.fail(fault, options);
    const snapshot = await collect(router);
    expect(snapshot.sessions.map(keyOf).sort()).toEqual(truthOf(router));
    expect(snapshot.complete).toBe(true);
    expect(snapshot.sessions.every((session) => (session.ageSec ?? 0) >= 0 && (session.idleSec ?? 0) >= 0)).toBe(true);
    expect(router.violations).toEqual([]);
  });

  test.each(kinds)(
    '%s: noise before the rows, or damaged rows, are counted, and the table is incomplete',
    async (kind) => {
      for (const options of [{ value: 30_000 }, {}]) {
        await using router = await startRouter(kind, { sessions: 60 });
        router.fail('garbage', options);
        const { sessions, complete, unparsed } = await collect(router);
        const truth = new Set(truthOf(router));
        expect(sessions.filter((session) => !truth.has(keyOf(session)))).toEqual([]);
        expect(sessions.length).toBeLessThanOrEqual('value' in options ? truth.size : truth.size - 1);
        expect([complete, unparsed.count > 0]).toEqual([false, true]);
      }
    },
  );

  test.each(kinds)('%s: a cleared table is an empty one, not a failure', async (kind) => {
    await using router = await startRouter(kind, { sessions: 20 });
    router.clearTable();
    const snapshot = await collect(router);
    expect(snapshot).toMatchObject({ sessions: [], complete: true });
  });

  test('a full table is said to be full', async () => {
    await using router = await startRouter('vendor_a', { sessions: 20 });
    router.fail('table-full');
    expect(toPublicNotes((await collect(router)).notes).notes.join(' ')).toContain('full');
  });

  test('what a vendor_b does not know is asked once in a connection, and nothing is read of it', async () => {
    await using router = await startRouter('vendor_b', { sessions: 5, credentials: { privileged: true } });
    await using shell = await shellOf(router);
    const refused = ['show version', 'show clock', 'show ip arp', 'show ipv6 neighbors', 'show ip dhcp binding'];
    for (const command of refused) {
      router.fail('unknown-command', { command });
    }
    const options = optionsOf(router);
    for (const _poll of [1, 2]) {
      const snapshot = await getDriver('vendor_b').collect(shell, options);
      expect(snapshot).toMatchObject({ complete: true, model: '', neighbours: [], leases: [] });
      expect(snapshot.unparsed).toEqual({ count: 0, samples: [] });
    }
    expect(refused.map((command) => router.commands.filter((typed) => typed === command))).toEqual(
      refused.map((command) => [command]),
    );
    expect(router.commands.filter((typed) => typed === 'show ip nat statistics')).toHaveLength(2);
  });
});
