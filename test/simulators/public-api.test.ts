// The simulators as other projects import them: each start function is used as its users do, and leaves nothing behind.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { connectAsync } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { formatPeriod } from '#capture/period.ts';
import { commands } from '#simulators/commands.ts';
import * as simulators from '#simulators/index.ts';
import {
  startAgents,
  startAi,
  startBroker,
  startChat,
  startClickHouse,
  startFeeds,
  startIssuer,
  startMesh,
  startRouter,
  startTrapper,
  startUps,
} from '#simulators/index.ts';
import { test as withSimulators } from '#simulators/vitest.ts';
import { startAgentHub } from '../support/agent-hub.ts';
import { watchLeaks } from '../support/leak-guard.ts';
import { openSession, type Reachable } from '../support/router-session.ts';
import { smallPeriod } from '../support/small-period.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openUps } from '../support/ups-browser.ts';

/** One use of a running simulator: what its client sees, and the fault under which the client sees something else. */
interface Use<S> {
  kind: string;
  start: () => Promise<S>;
  fault: Parameters<(S & { fail(fault: string): void })['fail']>[0];
  call: (simulator: S) => Promise<string>;
}

interface AnySimulator extends AsyncDisposable {
  fail(fault: never): void;
  journal(): readonly { kind: string }[];
}

const use = <S extends AnySimulator>(one: Use<S>) => one as unknown as Use<AnySimulator>;

async function readNeighbours(router: Reachable): Promise<string> {
  await using session = await openSession(router, { login: { tryKeyboard: true } });
  return await session.run('show arp');
}

async function ask(url: URL | string, init?: RequestInit): Promise<string> {
  const answer = await fetch(url, init);
  return `${answer.status} ${await answer.text()}`;
}

const post = (body: string, headers = {}) => ({ method: 'POST', body, headers });

const uses = [
  use({ kind: 'vendor_a', start: () => startRouter('vendor_a'), fault: 'login-refused', call: readNeighbours }),
  use({ kind: 'vendor_b', start: () => startRouter('vendor_b'), fault: 'login-refused', call: readNeighbours }),
  use({
    kind: 'oidc',
    start: () => startIssuer(),
    fault: 'no-pkce-metadata',
    call: ({ issuer }) => ask(`${issuer}/.well-known/openid-configuration`),
  }),
  use({
    kind: 'ups',
    start: () => startUps({ seed: 0 }),
    fault: 'truncated',
    async call({ url }) {
      await using browser = openUps(url);
      return (await browser.open('/')).text;
    },
  }),
  use({
    kind: 'mqtt',
    start: () => startBroker(),
    fault: 'auth-refused',
    async call({ url }) {
      const client = await connectAsync(url.href, { reconnectPeriod: 0 }, false);
      await client.endAsync();
      return 'connected';
    },
  }),
  use({
    kind: 'trapper',
    start: () => startTrapper(),
    fault: 'closed-early',
    async call({ url }) {
      const body = JSON.stringify({ request: 'sender data', data: [{ host: 'ups1', key: 'ups.load', value: '19' }] });
      const head = Buffer.from('ZBXD\x01\0\0\0\0\0\0\0\0', 'latin1');
      head.writeUInt32LE(body.length, 5);
      const socket = connect({ host: url.hostname, port: Number(url.port) });
      socket.write(Buffer.concat([head, Buffer.from(body)]));
      return (await buffer(socket)).toString('latin1').replace(/^.*?\{/, '{');
    },
  }),
  use({
    kind: 'feeds',
    start: () => startFeeds(),
    fault: 'error-500',
    call: ({ url }) => ask(new URL('/feodotracker/downloads/ipblocklist.csv', url)),
  }),
  use({
    kind: 'chat',
    start: () => startChat(),
    fault: 'invalid_auth',
    call: ({ url, credentials }) =>
      ask(new URL('auth.test', url), post('', { authorization: `Bearer ${credentials.token}` })),
  }),
  use({
    kind: 'clickhouse',
    start: () => startClickHouse(),
    fault: 'unavailable',
    call: ({ url }) => ask(url, post('SELECT 1')),
  }),
  use({
    kind: 'ai',
    start: () => startAi(),
    fault: 'server-error',
    call: ({ urls }) => ask(`${urls.local}/v1/models`),
  }),
  use({
    kind: 'mesh',
    start: () => startMesh(),
    fault: 'nonce-refused',
    call: ({ url }) => ask(new URL('/login/nonce', url), post('{"id":"a"}')).then((answer) => answer.slice(0, 3)),
  }),
];

test('every kind of the command but the Agents is below, and there is a start function for it', () => {
  expect([...uses.map(({ kind }) => kind), 'agent'].sort()).toEqual(commands.map(({ kind }) => kind).sort());
});

test.each(uses)('$kind answers, shows its fault, has a journal and ends without a trace', async (one) => {
  await using _leaks = watchLeaks();
  await using simulator = await one.start();
  const outcome = () => one.call(simulator).catch((error: Error) => `failed: ${error.message}`);
  const normal = await outcome();
  expect(normal).not.toMatch(/^failed/);
  simulator.fail(one.fault as never);
  expect(await outcome()).not.toEqual(normal);
  expect(simulator.journal().map(({ kind }) => kind)).toContain('fault-armed');
  expect(() => simulator.fail('toothache' as never)).toThrow(`there is no fault "toothache"; there are `);
});

test('a flow is in the table that is read over SSH, and the journal has the command', async () => {
  await using _leaks = watchLeaks();
  await using router = await startRouter('vendor_a', { dialect: 'rtx830-mape', seed: 7 });
  router.flow({ src: '192.168.100.23', dst: '203.0.113.80', dport: 443 });
  await using session = await openSession(router);
  const shown = await session.run(`show nat descriptor address ${router.settings.natDescriptor} detail`);
  expect(shown).toMatch(/192\.168\.100\.23\.\d+ +203\.0\.113\.80\.443/);
  expect(await router.journal()).toContainEqual(
    expect.objectContaining({ kind: 'command', command: expect.stringMatching(/^show nat/) }),
  );
  expect(router.sessionsOpen).toBe(1);
});

test('labs and tests start the simulators of the package by its own functions', () => {
  const sources = ['test', 'bench', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.join(folder, name)),
  );
  // They start what surrounds the simulators, and is no kind of `gatehouse sim`.
  const others = [
    'startEdge',
    'startNameServer',
    'startLookupServices',
    'startPushServices',
    'startControlServer',
    'startScenario',
  ];
  const started = sources.flatMap((name) =>
    [...readFileSync(name, 'utf8').matchAll(/import \{([^}]*)\} from '#simulators\//g)].flatMap(
      ([, names = '']) => names.match(/(?<!type )\bstart[A-Z]\w*/g) ?? [],
    ),
  );
  expect(started).toContain('startRouter');
  expect([...new Set(started)].filter((name) => !(name in simulators) && !others.includes(name))).toEqual([]);
});

test('an unknown dialect is refused with the names of those that there are', async () => {
  await expect(startRouter('vendor_b', { dialect: 'vt100' })).rejects.toThrow(/vt100.*isr-xe17/);
});

test('options of the command are options of the functions: made-up feeds, versions of pages, periods', async () => {
  await using _leaks = watchLeaks();
  await using feeds = await startFeeds({ entries: 3 });
  feeds.reset();
  expect(feeds.state()).toMatchObject({ rows: { ioc: 3, url: 3, drop: 2 } });
  await expect(startUps({ version: '9' })).rejects.toThrow('there are pages of 1.4.0, not of "9"');

  using folder = temporaryFolder();
  const period = path.join(folder.path, 'period.jsonl');
  writeFileSync(period, formatPeriod(smallPeriod()));
  await using router = await startRouter('vendor_a', { period });
  expect(router.hosts()).toMatchObject([{ name: 'den-pc' }]);
  const other = startRouter('vendor_a', { period, periodRouter: 'cellar' });
  await expect(other).rejects.toThrow('--period-router must be one of attic');
  await using agents = await startAgents({ hub: new URL('http://127.0.0.1:1'), period });
  expect(agents.agents.map(({ hostName }) => hostName)).toEqual(
    smallPeriod().header.observers.flatMap(({ kind, name }) => (kind === 'agent' ? [name] : [])),
  );
});

test('Agents apply at a hub', async () => {
  await using _leaks = watchLeaks();
  await using hub = await startAgentHub(Date.now);
  await using agents = await startAgents({ hub: hub.url, codes: [hub.code()], rate: 0 });
  expect(agents.agents).toMatchObject([{ hostName: 'laptop-01', credential: 'pending' }]);
  expect(agents.journal().length).toBeGreaterThan(0);
});

describe('a fixture of vitest', () => {
  const configured = withSimulators.extend({ options: { vendorB: { seed: 7, dialect: 'isr-xe17' } } });
  configured('is a simulator of the test with the options that were extended', async ({ vendorB, ups }) => {
    expect(vendorB.settings.profile).toBe('isr-xe17');
    expect(await readNeighbours(vendorB)).toContain('show arp');
    expect(ups.url.protocol).toBe('https:');
  });
});
