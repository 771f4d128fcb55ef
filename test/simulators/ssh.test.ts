// The SSH half of the simulated routers: what is granted, what is refused, methods, algorithms, keys and limits.
import { createHash } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import type ssh2 from 'ssh2';
import { describe, expect, test } from 'vitest';
import type { RouterKind } from '#simulators/router/model.ts';
import { startRouter } from '#simulators/router/start.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { connect, loginTo, openSession } from '../support/router-session.ts';
import { verifies } from '../support/verifies.ts';

const kinds = ['vendor_a', 'vendor_b'] as const satisfies readonly RouterKind[];

describe.each(kinds)('%s over SSH', (kind) => {
  verifies(
    'sim.router.exec-refused sim.router.real-ssh',
    'grants a shell on a pty and refuses exec, subsystem and SFTP',
    async () => {
      await using router = await startRouter(kind);
      await using session = await openSession(router);
      const { client } = session;
      const refused = (ask: (done: (error?: Error) => void) => void) =>
        new Promise<string>((resolve) => ask((error) => resolve(error?.message ?? 'granted')));
      expect(await refused((done) => client.exec('show version', done))).toMatch(/Unable to exec/);
      expect(await refused((done) => client.subsys('netconf', done))).toMatch(/Unable to start subsystem/);
      expect(await refused((done) => client.sftp(done))).toMatch(/Unable to start subsystem/);
      const requests = router.journal().filter((entry) => entry.kind === 'request-refused');
      expect(requests.map(({ request }) => request)).toEqual(['exec', 'subsystem netconf', 'subsystem sftp']);
    },
  );

  verifies(
    'sim.router.journal',
    'refuses a wrong password and lists the methods; the password is not in the journal',
    async () => {
      await using router = await startRouter(kind);
      const wrong = connect(loginTo(router, { password: 'not-this-one', tryKeyboard: false }));
      await expect(wrong).rejects.toThrow('All configured authentication methods failed');
      const logins = router.journal().filter((entry) => entry.kind === 'login');
      expect(logins).toMatchObject([{ method: 'password', user: 'monitor', accepted: false }]);
      expect(JSON.stringify(router.journal())).not.toContain('not-this-one');
    },
  );

  verifies('sim.router.violations', 'the same refused password a second time is a violation', async () => {
    await using router = await startRouter(kind);
    const attempt = () => connect(loginTo(router, { password: 'wrong' })).catch((error: Error) => error.message);
    await attempt();
    expect(router.violations).toEqual([]);
    await attempt();
    expect(router.violations).toMatchObject([{ kind: 'password-retried' }]);
  });

  test('the fingerprint it tells is the one a client sees, and it changes with the key', async () => {
    await using router = await startRouter(kind);
    const seen = async () => {
      let fingerprint = '';
      const hostVerifier = (key: Buffer) => {
        fingerprint = createHash('sha256').update(key).digest('hex');
        return true;
      };
      const client = await connect(loginTo(router, { hostVerifier }));
      client.end();
      return fingerprint;
    };
    const first = await seen();
    expect(first).toBe(router.hostKey);
    const second = await router.rotateHostKey();
    expect(second).not.toBe(first);
    expect(await seen()).toBe(second);
  });

  verifies('sim.router.session-limit', 'more connections than lines are closed before the identification', async () => {
    await using router = await startRouter(kind, { sessionLimit: 1 });
    await using _first = await openSession(router);
    await expect(connect(loginTo(router))).rejects.toThrow(/Connection lost before handshake|ECONNRESET/);
    expect(router.connections).toBe(2);
  });

  test('a connection that does not log in is closed by the login timer', async () => {
    const clock = new ManualClock();
    await using router = await startRouter(kind, { clock });
    const socket = connectTcp(Number(router.url.port), '127.0.0.1');
    await new Promise((resolve) => socket.once('data', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await clock.advance(121_000);
    await closed;
    expect(router.journal().some((entry) => entry.kind === 'login-timeout')).toBe(true);
  });

  verifies('sim.router.violations', 'three sessions at once are a violation, two are not', async () => {
    await using router = await startRouter(kind);
    await using _first = await openSession(router);
    await using _second = await openSession(router);
    expect(router.violations).toEqual([]);
    await using _third = await openSession(router);
    expect(router.violations).toMatchObject([{ kind: 'parallel-sessions' }]);
    expect(router.sessionsOpen).toBe(3);
  });
});

test('by default isr-xe17 takes a password', async () => {
  await using router = await startRouter('vendor_b', { dialect: 'isr-xe17' });
  await using session = await openSession(router);
  expect(session.text()).toMatch(/edge-rtr1>$/);
});

test('keyboard-interactive alone works, and only then', async () => {
  await using router = await startRouter('vendor_b', { dialect: 'isr-xe16' });
  await expect(connect(loginTo(router))).rejects.toThrow('All configured authentication methods failed');
  await using session = await openSession(router, { login: { tryKeyboard: true } });
  expect(session.text()).toMatch(/edge-rtr1>$/);
});

test('a userauth banner is sent before the login', async () => {
  await using router = await startRouter('vendor_b', { loginBanner: 'Authorised users only\r\n' });
  await using client = await bannerOf(router);
  expect(client.banner).toContain('Authorised users only');
});

async function bannerOf(router: Awaited<ReturnType<typeof startRouter>>) {
  const { Client } = (await import('ssh2')).default;
  const client: ssh2.Client = new Client();
  const banner = await new Promise<string>((resolve, reject) => {
    client.once('banner', resolve);
    client.once('error', reject);
    client.connect(loginTo(router));
  });
  return { banner, [Symbol.asyncDispose]: async () => void client.end() };
}

test.each([
  ['vendor_a', 'rtx810-old'],
  ['vendor_b', 'ios12-legacy'],
] as const)('%s %s: no common algorithm by default, a login after opting in', async (kind, profile) => {
  await using router = await startRouter(kind, { dialect: profile, deafMs: 0 });
  await expect(connect(loginTo(router))).rejects.toThrow(/no matching key exchange algorithm/);
  const append = {
    kex: { append: ['diffie-hellman-group14-sha1', 'diffie-hellman-group1-sha1'], prepend: [], remove: [] },
    cipher: { append: ['aes128-cbc', '3des-cbc'], prepend: [], remove: [] },
  } as unknown as NonNullable<ssh2.ConnectConfig['algorithms']>;
  await using session = await openSession(router, { login: { algorithms: append, tryKeyboard: true } });
  expect(session.text('latin1')).toMatch(/> ?$/);
});

verifies('sim.router.loopback-only', 'a bind that is not loopback is refused unless it was asked for', async () => {
  await expect(startRouter('vendor_a', { host: '0.0.0.0' })).rejects.toThrow(/SIM_ALLOW_NON_LOOPBACK/);
  await using router = await startRouter('vendor_a', { host: '0.0.0.0', allowNonLoopback: true });
  expect(router.url.hostname).toBe('0.0.0.0');
});
