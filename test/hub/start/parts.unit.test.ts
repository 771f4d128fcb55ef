// Small parts that every hub is made of: signals between features, what it says of itself, and who is sent where.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { featureNames } from '#contract/status.ts';
import type { StatusFacts } from '#hub/base/feature.ts';
import { createSignals } from '#hub/base/signals.ts';
import { createStatement } from '#hub/base/statements.ts';
import { frontHandlers, loadPage } from '#hub/start/front/handlers.ts';
import { healthHandlers } from '#hub/start/health.ts';
import { startStatusFeature } from '#hub/start/status/feature.ts';
import { collectLog } from '../../support/log-lines.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a signal calls who listens then, in their order; one that throws is logged and stops nobody', () => {
  const { log, lines } = collectLog('error');
  const signals = createSignals(log);
  const heard: string[] = [];
  signals.emit('credentialRevoked', 'admin-token');
  const ends = ['a', 'b', 'c'].map((name) =>
    signals.on('credentialRevoked', (credential) => {
      heard.push(`${name} ${credential}`);
      if (name === 'a') {
        ends[1]?.();
        throw new Error('a mistake');
      }
    }),
  );
  signals.on('devicesChanged', () => void heard.push('another signal'));
  signals.emit('credentialRevoked', 'agent:1');
  signals.emit('credentialRevoked', 'agent:2');
  expect(heard).toEqual(['a agent:1', 'b agent:1', 'c agent:1', 'a agent:2', 'c agent:2']);
  expect(lines).toMatchObject(Array(2).fill({ msg: 'a listener of a signal failed', err: { message: 'a mistake' } }));
});

const say = (sentence: string) => createStatement('clock_back', sentence, { at: 1 });

/** What the feature says; `more` is of what every feature gets. */
function openStatus(
  more: { host?: string; trustProxy?: string[]; hasData?: boolean; routers?: number },
  given: StatusFacts[] = [],
) {
  const clock = new ManualClock();
  const { log, lines } = collectLog('warn');
  const { host = '127.0.0.1', trustProxy, hasData = true, routers = 0 } = more;
  const options = { host, trustProxy, version: '1', commit: 'abc', warnings: [say('of the start')] };
  const folder = { databaseFile: '/data/monitor.db', warnings: [say('of the folder')] };
  const settings = { current: () => ({ routers: Array(routers).fill({}) }) };
  const base = { ...{ clock, log, options, folder, settings, hasData }, offline: true };
  const features = given.map((facts) => ({ status: async () => facts }));
  const feature = startStatusFeature(base as never, () => [...features, {}] as never);
  const handler = feature.handlers?.status.status as (call: object) => Promise<Record<string, unknown>>;
  const status = (permissions?: string[]) =>
    handler({ principal: permissions ? { permissions: new Set(permissions) } : { agentId: 'one' } });
  return { clock, status, said: () => lines.map(({ msg }) => msg) };
}

test('the status is that of all features; what concerns administrators is theirs alone', async () => {
  const [name] = featureNames;
  const { clock, status, said } = openStatus({}, [
    { warnings: [say('one'), null], adminWarnings: [null, say('secret')], initialAdminTokenFile: '/data/token' },
    { warnings: [say('two')], features: { [name]: { enabled: true, reason: null } }, schemaVersion: 7 },
    { adminWarnings: [say('other')] },
  ]);
  clock.skip(5000);
  const all = { authenticated: true, offlineMode: true, version: '1', commit: 'abc', uptimeMs: 5000, schemaVersion: 7 };
  const start = ['of the start', 'of the folder'];
  for (const permissions of [undefined, ['network.read']]) {
    const shown = { ...all, initialAdminTokenFile: null, warnings: [...start, 'one', 'two'] };
    expect(await status(permissions)).toMatchObject(shown);
  }
  const found = await status(['auth.admin']);
  expect(found).toMatchObject({
    ...{ ...all, initialAdminTokenFile: '/data/token', warnings: [...start, 'one', 'secret', 'two', 'other'] },
  });
  const absent = { enabled: false, reason: 'not_in_this_version' };
  const features = Object.fromEntries(
    featureNames.map((one) => [one, one === name ? { enabled: true, reason: null } : absent]),
  );
  expect(found).toHaveProperty('features', features);
  expect(found).not.toHaveProperty('adminWarnings');
  expect(said()).toEqual(start);
});

test('a start warns of an address without TLS, and of routers whose log is missing', async () => {
  const tls = expect.stringMatching(/^listening on 0\.0\.0\.0 without TLS: .*MONITOR_TRUST_PROXY$/);
  const lost = (what: string) =>
    expect.stringMatching(`^/data/monitor.db was missing or empty although ${what} set up: `);
  const rows: [Parameters<typeof openStatus>[0], unknown[]][] = [
    [{ host: '0.0.0.0' }, ['of the start', tls, 'of the folder']],
    [{ host: '0.0.0.0', trustProxy: [] }, ['of the start', tls, 'of the folder']],
    [{ host: '0.0.0.0', trustProxy: ['10.0.0.1'] }, ['of the start', 'of the folder']],
    [{ hasData: false, routers: 1 }, ['of the start', 'of the folder', lost('1 router is')]],
    [{ hasData: false, routers: 2 }, ['of the start', 'of the folder', lost('2 routers are')]],
    [{ hasData: true, routers: 2 }, ['of the start', 'of the folder']],
    [{ hasData: false }, ['of the start', 'of the folder']],
  ];
  for (const [more, warnings] of rows) {
    const { status, said } = openStatus(more);
    const { warnings: shown, warningFacts } = await status();
    expect([shown, said()]).toEqual([warnings, warnings]);
    expect(warningFacts).toEqual(warnings.map(() => ({ code: expect.any(String), values: expect.any(Object) })));
  }
});

test('no feature can warn without a code, which other languages need', () => {
  // @ts-expect-error -- A text is no statement.
  const facts: StatusFacts = { warnings: ['a text'], adminWarnings: [] };
  // @ts-expect-error -- Nor is it one for administrators.
  facts.adminWarnings = ['a text'];
});

test('readiness has no reason until the hub is up, and then that of what it finds', async () => {
  const answers = [null, { reason: null }, { reason: 'disk_full' as const }];
  const found = await Promise.all(answers.map((answer) => healthHandlers(async () => answer).readyz({} as never)));
  expect(found).toEqual([
    expect.objectContaining({ status: 503, body: { status: 'not_ready' } }),
    { status: 'ready' },
    expect.objectContaining({ status: 503, body: { status: 'not_ready', reason: 'disk_full' } }),
  ]);
});

test('only who takes HTML gets the page, and only a place with a slash at its end leads elsewhere', async () => {
  using folder = temporaryFolder();
  writeFileSync(path.join(folder.path, 'index.html'), '<!doctype html>');
  const { map } = frontHandlers(loadPage(folder.path));
  const ask = async (target: string, accept?: string) =>
    (await map({ request: { target, headers: { accept } } } as never)) as { body?: Readable; headers: object };
  for (const accept of [
    'text/html',
    'application/xml, text/html;q=0.9',
    undefined,
    '*/*',
    'text/htmlx',
    'xtext/html',
  ]) {
    const { body = Readable.from([]) } = await ask('/map', accept);
    expect((await text(body)) === '<!doctype html>').toBe(/^text\/html$|, /.test(accept ?? ''));
  }
  expect((await ask('/map/?')).headers).toEqual({ Location: '../map?' });
  for (const target of ['//', '/map?a=/', '/a/map/', 'x/map/']) {
    expect((await ask(target)).headers).not.toHaveProperty('Location');
  }
});

test('the addresses in the page lead to the root from each depth', () => {
  using folder = temporaryFolder();
  writeFileSync(path.join(folder.path, 'index.html'), '<script src="./assets/main.js"></script>');
  const pageAt = loadPage(folder.path);
  for (const asked of ['/', '/map', '/devices/7', '/a/b/c', '/a/b/']) {
    const [, address = ''] = /src="(.*)"/.exec(pageAt(asked)) ?? [];
    expect(new URL(address, `http://hub${asked}`).pathname).toBe('/assets/main.js');
  }
});
