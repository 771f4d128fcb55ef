// The control surface of a simulated router: in process, and over HTTP.
import { describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { routerControlRoutes } from '#simulators/router/control.ts';
import { startRouter } from '#simulators/router/start.ts';
import { createShiftedClock } from '#simulators/support/shifted-clock.ts';
import { serveControl } from '../support/control-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openSession } from '../support/router-session.ts';
import { verifies } from '../support/verifies.ts';

/** What the tests below read of the answers. */
interface Answer {
  error: string;
  now: number;
  settings: { hostName: string };
  sessions: { dst: string }[];
  journal: { kind: string }[];
  paths: object;
}

const flow = { src: '192.168.100.9', dst: '198.51.100.9', dport: 443 };

async function startControlled() {
  const clock = createShiftedClock();
  await using stack = new AsyncDisposableStack();
  const router = stack.use(await startRouter('vendor_b', { clock }));
  const extra = routerControlRoutes({ control: router, now: clock.now });
  const client = stack.use(await serveControl({ control: router, clock, extra }));
  const ask = async (method: string, path: string, body?: unknown) => {
    const { status, body: answer } = await client.ask(method, path, body);
    return { status, body: answer as unknown as Answer };
  };
  const all = stack.move();
  return { router, ask, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

describe('in process', () => {
  verifies('sim.router.control', 'a flow put in is in the truth and ends by its timer', async () => {
    const clock = new ManualClock();
    await using router = await startRouter('vendor_a', { clock });
    const put = router.flow({ ...flow, sport: 50_000 });
    expect(router.truth().at(-1)).toMatchObject({
      ...flow,
      sport: 50_000,
      proto: 'tcp',
      ttl: 900,
      timeout: 900,
    });
    put?.end('fin');
    expect(router.truth().at(-1)).toMatchObject({ closing: true, ttl: 60 });
    clock.jump(clock.now() + 61_000);
    expect(router.truth().some(({ dst }) => dst === flow.dst)).toBe(false);
  });

  verifies(
    'sim.router.control',
    'patch changes what it names; anything unknown or invalid changes nothing',
    async () => {
      await using router = await startRouter('vendor_a');
      router.patch({ settings: { hostName: 'office', columns: 132 }, sessions: 5, latency: 'old' });
      expect(router.settings).toMatchObject({ hostName: 'office', columns: 132, changed: false });
      expect(router.truth()).toHaveLength(6);
      for (const change of [{ nope: 1 }, { settings: { hostName: 'x', lines: 0 } }, { sessions: -1 }]) {
        expect(() => router.patch(change)).toThrow();
      }
      expect(router.settings.hostName).toBe('office');
    },
  );

  verifies('sim.router.control', 'reset brings back world, faults, credentials, journal and violations', async () => {
    await using router = await startRouter('vendor_a', { sessions: 3 });
    router.patch({ settings: { hostName: 'office' }, credentials: { password: 'other' } });
    router.flow(flow);
    router.fail('hang');
    router.fail('descriptor-missing');
    router.clearFaults();
    router.patch({ settings: { natDescriptor: 77 } });
    await using early = await openSession(router, { login: { password: 'other' } });
    await early.run('console info on');
    expect(router.violations).toHaveLength(1);
    router.reset();
    await early.closed;
    expect(router.violations).toEqual([]);
    expect(router.settings).toMatchObject({ hostName: '', natDescriptor: 1000 });
    expect(router.truth()).toHaveLength(4);
    expect(router.commands).toEqual([]);
    await using session = await openSession(router);
    expect(session.text('shift_jis')).toMatch(/> $/);
  });

  verifies('sim.router.violations', 'what is not read-only is a violation; what is masked stays masked', async () => {
    await using router = await startRouter('vendor_a');
    await using session = await openSession(router);
    await session.run('show arp');
    expect(router.violations).toEqual([]);
    await session.run('console character en.ascii');
    await session.run(`login password ${router.credentials.password}`);
    expect(router.violations).toMatchObject([
      { kind: 'not-read-only', detail: 'console character en.ascii' },
      { kind: 'not-read-only', detail: 'login password ***' },
    ]);
    expect(JSON.stringify(router.journal())).not.toContain(router.credentials.password);
    expect(router.commands.at(-1)).toBe('login password ***');
  });

  verifies('sim.router.violations', 'a table read in two sessions at once is an overlap', async () => {
    await using router = await startRouter('vendor_b', { sessions: 200, credentials: { privileged: true } });
    await using first = await openSession(router);
    await using second = await openSession(router);
    first.type('show ip nat translations\r');
    await first.until(/--More-- $/);
    second.type('show ip nat translations\r');
    await second.until(/--More-- $/);
    expect(router.violations).toMatchObject([{ kind: 'overlapping-polls' }]);
  });

  verifies('sim.router.replay', 'a capture is sent byte for byte between echo and prompt', async () => {
    const nat = Buffer.from('tcp 1.2.3.4:1 \0\xff weird\n', 'latin1');
    await using router = await startRouter('vendor_b', { credentials: { privileged: true }, replay: { nat } });
    await using session = await openSession(router);
    session.type('show ip nat translations verbose\r');
    await session.until(/weird\nedge-rtr1#$/);
    const expected = [Buffer.from('show ip nat translations verbose\r\n'), nat, Buffer.from('edge-rtr1#')];
    expect(session.bytes()).toEqual(Buffer.concat(expected));
  });

  verifies('sim.router.deterministic', 'same seed, same clock, same commands: same bytes over SSH', async () => {
    const read = async () => {
      await using router = await startRouter('vendor_a', { clock: new ManualClock(), traffic: true, seed: 7 });
      router.patch({ settings: { lines: 'infinity' } });
      await using session = await openSession(router);
      await session.run('show nat descriptor address 1000 detail');
      return session.bytes();
    };
    expect(await read()).toEqual(await read());
  });

  verifies('sim.router.latency', 'a profile delays the answer on the clock', async () => {
    const clock = new ManualClock();
    const latency = { acceptMs: 0, promptMs: 5_000, tableMs: 0, bytesPerSecond: null, pauses: true };
    await using router = await startRouter('vendor_a', { clock, latency });
    await using session = await openSession(router);
    session.type('show arp\r');
    await session.until(/show arp\r\n$/);
    await systemClock.sleep(100);
    expect(session.text()).toBe('show arp\r\n');
    await clock.advance(5_000);
    await session.until(/> $/);
  });
});

describe('over HTTP', () => {
  verifies('sim.router.control', 'flows, truth, clock, state, faults, violations and reset', async () => {
    await using sim = await startControlled();
    const put = await sim.ask('POST', '/flows', flow);
    expect(put).toMatchObject({ status: 201, body: { session: { ...flow, proto: 'tcp' } } });
    expect((await sim.ask('POST', '/flows', { ...flow, src: 'nonsense' })).status).toBe(400);
    const dsts = async () => (await sim.ask('GET', '/truth')).body.sessions.map(({ dst }: { dst: string }) => dst);
    expect(await dsts()).toContain(flow.dst);
    expect((await sim.ask('POST', '/faults', { fault: 'login-refused', times: 2 })).status).toBe(201);
    expect((await sim.ask('GET', '/state')).body).toMatchObject({
      kind: 'vendor_b',
      faults: [{ fault: 'login-refused', left: 2 }],
    });
    const unknown = await sim.ask('POST', '/faults', { fault: 'no-such' });
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    expect(unknown.body.error).toContain('login-refused');
    await sim.ask('DELETE', '/faults');
    expect((await sim.ask('PATCH', '/state', { settings: { hostName: 'branch' } })).body.settings.hostName).toBe(
      'branch',
    );
    expect((await sim.ask('PATCH', '/state', { settings: { hostname: 'branch' } })).status).toBe(400);
    expect((await sim.ask('GET', '/violations')).body).toEqual({ violations: [] });
    const before = (await sim.ask('POST', '/clock', { advanceMs: 0 })).body.now;
    expect((await sim.ask('POST', '/clock', { advanceMs: 90_000 })).body.now).toBeGreaterThanOrEqual(before + 90_000);
    await sim.ask('POST', '/reset');
    expect(await dsts()).not.toContain(flow.dst);
  });

  verifies('sim.router.journal', 'the journal is served and forgotten, the description names every route', async () => {
    await using sim = await startControlled();
    await using session = await openSession(sim.router);
    await session.run('show clock');
    const kinds = async () => (await sim.ask('GET', '/journal')).body.journal.map(({ kind }: { kind: string }) => kind);
    expect(await kinds()).toEqual(['connected', 'login', 'session-opened', 'command']);
    await sim.ask('DELETE', '/journal');
    expect(await kinds()).toEqual([]);
    const { paths } = (await sim.ask('GET', '/openapi.json')).body;
    const routes = [
      '/journal',
      '/state',
      '/faults',
      '/reset',
      '/clock',
      '/openapi.json',
      '/truth',
      '/violations',
      '/flows',
    ];
    expect(Object.keys(paths)).toEqual(routes);
  });
});

test('a router whose standing sessions find no port starts, and its journal says so', async () => {
  await using router = await startRouter('vendor_a', {
    dialect: 'rtx830-mape',
    clock: systemClock,
    sessions: 2000,
  });
  expect(router.journal()).toContainEqual(expect.objectContaining({ kind: 'flow-refused', reason: 'ports' }));
});
