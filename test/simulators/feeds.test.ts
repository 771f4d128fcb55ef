// The simulated feeds as a client sees them: formats, validators, keys, faults, control surface.
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { feedsControlRoutes } from '#simulators/feeds/control.ts';
import type { FeedFault } from '#simulators/feeds/faults.ts';
import { type FeedsSimulator, startFeeds } from '#simulators/feeds/feeds.ts';
import { createShiftedClock } from '#simulators/support/shifted-clock.ts';
import { serveControl } from '../support/control-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

const drop = '/spamhaus/drop/drop_v4.json';
const c2 = '/feodotracker/downloads/ipblocklist.csv';

function ask(feeds: FeedsSimulator, path: string, options: RequestInit = {}): Promise<Response> {
  return fetch(new URL(path, feeds.url), { redirect: 'manual', ...options });
}

async function textOf(feeds: FeedsSimulator, path: string, options?: RequestInit): Promise<string> {
  return (await ask(feeds, path, options)).text();
}

const withKey = ({ authKey }: FeedsSimulator, path: string) => `${path}?auth-key=${authKey}`;

verifies('sim.feeds.formats', 'banner, header, quoting and trailer are those of each publisher', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 19, 14, 28, 39));
  await using feeds = await startFeeds({ clock });
  const feodo = (await textOf(feeds, c2)).split('\r\n');
  expect(feodo).toContain('# Last updated: 2026-11-19 14:28:39 UTC                        #');
  expect(feodo).toContain('"first_seen_utc","dst_ip","dst_port","c2_status","last_online","malware"');
  expect(feodo).toContain('"2026-01-13 21:41:15","203.0.113.44","443","online","2026-11-19","QakBot"');
  expect(feodo.at(-2)).toBe('# END 2 entries');
  const threatFox = await textOf(feeds, withKey(feeds, '/threatfox/files/exports/recent.csv'));
  expect(threatFox).toMatch(/^# "first_seen_utc","ioc_id","ioc_value",/m);
  expect(threatFox).toContain(
    '"1999991", "203.0.113.77:8443", "ip:port", "botnet_cc", "win.examplerat", "None", "ExampleRAT"',
  );
  const urlhaus = await textOf(feeds, withKey(feeds, '/urlhaus/files/exports/recent.csv'));
  expect(urlhaus).toMatch(/^# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter\r$/m);
  expect(urlhaus).toContain('"http://203.0.113.120:58801/i","online",');
  const spamhaus = (await textOf(feeds, drop)).trim().split('\n');
  expect(spamhaus.map((line) => JSON.parse(line))).toMatchObject([
    { cidr: '192.0.2.0/24' },
    { type: 'metadata', records: 1, copyright: '(c) 2026 The Spamhaus Project SLU' },
  ]);
  expect(await textOf(feeds, '/spamhaus/drop/drop_v6.json')).toContain('2001:db8:bad::/48');
  const headers = { 'auth-key': feeds.authKey };
  const body = '{"query":"get_fplist","format":"csv"}';
  const fp = await textOf(feeds, '/hunting/api/v1/', { method: 'POST', headers, body });
  expect(fp).toContain('"1001","ThreatFox","domain","mistake.example"');
});

verifies('sim.feeds.formats', 'the full export of ThreatFox is a ZIP archive', async () => {
  await using feeds = await startFeeds();
  const answer = await ask(feeds, withKey(feeds, '/threatfox/files/exports/full.csv.zip'));
  const zip = Buffer.from(await answer.arrayBuffer());
  const [packed, nameLength] = [zip.readUInt32LE(18), zip.readUInt16LE(26)];
  const content = inflateRawSync(zip.subarray(30 + nameLength, 30 + nameLength + packed)).toString();
  expect(content).toContain('"cdn-update.example", "domain"');
});

verifies('sim.feeds.conditional', 'ETag and date give 304 until the rows change', async () => {
  const clock = new ManualClock();
  await using feeds = await startFeeds({ clock });
  const first = await ask(feeds, drop);
  const etag = first.headers.get('etag') ?? '';
  const since = first.headers.get('last-modified') ?? '';
  const again = (headers: Record<string, string>) => ask(feeds, drop, { headers });
  expect((await again({ 'if-none-match': etag })).status).toBe(304);
  expect((await again({ 'if-modified-since': since })).status).toBe(304);
  clock.jump(clock.now() + 60_000);
  feeds.list('drop', [{ cidr: '198.51.100.0/24' }]);
  expect((await again({ 'if-none-match': etag, 'if-modified-since': since })).status).toBe(200);
});

verifies(
  'sim.feeds.key',
  'exports want the key in the address, the API in a header, services each in its own',
  async () => {
    await using feeds = await startFeeds();
    const path = '/threatfox/files/exports/recent.csv';
    expect((await ask(feeds, path)).status).toBe(401);
    expect((await ask(feeds, `${path}?auth-key=wrong`)).status).toBe(401);
    expect((await ask(feeds, '/hunting/api/v1/', { method: 'POST', body: '{}' })).status).toBe(401);
    const questions = [
      ['/abuseipdb/api/v2/check?ipAddress=9.9.9.9', 'key', feeds.keys.abuseipdb, 401, 'data.abuseConfidenceScore'],
      ['/virustotal/api/v3/ip_addresses/9.9.9.9', 'x-apikey', feeds.keys.virustotal, 401, 'data.attributes.network'],
      ['/otx/api/v1/indicators/IPv4/9.9.9.9/general', 'x-otx-api-key', feeds.keys.otx, 403, 'pulse_info.count'],
      ['/otx/api/v1/indicators/IPv6/2620:fe::fe/general', 'x-otx-api-key', feeds.keys.otx, 403, 'pulse_info.count'],
    ] as const;
    for (const [url, header, key, refusal, member] of questions) {
      expect((await ask(feeds, url)).status).toBe(refusal);
      const answer = await ask(feeds, url, { headers: { [header]: key } });
      expect(await answer.json()).toHaveProperty(member);
    }
  },
);

verifies('sim.feeds.journal', 'every request is there, without its key', async () => {
  await using feeds = await startFeeds();
  await ask(feeds, withKey(feeds, '/urlhaus/files/exports/recent.csv'));
  await ask(feeds, '/nowhere');
  expect(feeds.journal()).toMatchObject([
    { kind: 'request', path: '/urlhaus/files/exports/recent.csv', query: '?auth-key=***', status: 200 },
    { kind: 'request', path: '/nowhere', status: 404 },
  ]);
});

verifies('sim.feeds.control', 'rows, keys and 100,000 entries over HTTP; what is wrong changes nothing', async () => {
  const clock = createShiftedClock();
  await using feeds = await startFeeds({ clock });
  const extra = feedsControlRoutes(feeds);
  await using served = await serveControl({ control: feeds, clock, extra });
  const send = served.ask;
  expect(await send('PUT', '/lists/drop', { rows: [{ cidr: '198.51.100.0/24' }] })).toMatchObject({
    body: { rows: [{ cidr: '198.51.100.0/24', sbl: 'SBL999001' }] },
  });
  expect((await send('PUT', '/lists/drop', { rows: [{ range: 'x' }] })).status).toBe(400);
  expect((await send('PUT', '/lists/nothing', { rows: [] })).status).toBe(404);
  expect(await textOf(feeds, drop)).toContain('198.51.100.0/24');
  expect((await send('PATCH', '/state', { madeUp: { url: 1e9 } })).status).toBe(400);
  expect(await send('PATCH', '/state', { authKey: 'other', madeUp: { url: 100_000 } })).toMatchObject({
    body: { rows: { url: 100_000 } },
  });
  const large = await textOf(feeds, '/urlhaus/files/exports/recent.csv?auth-key=other');
  expect(large.split('\r\n').filter((line) => line.startsWith('"'))).toHaveLength(100_000);
  await send('POST', '/reset', {});
  expect(feeds.state()).toMatchObject({ rows: { url: 2, drop: 2 } });
});

verifies('sim.feeds.control', 'the command starts them and says their keys', async () => {
  await using program = startProgram(['src/main.ts', 'sim', 'feeds', '--port', '0', '--entries', '50']);
  const [, line = ''] = await program.printed(/^(\{.*\})$/m);
  const { url, authKey } = JSON.parse(line) as { url: string; authKey: string };
  const answer = await fetch(new URL(`/urlhaus/files/exports/recent.csv?auth-key=${authKey}`, url));
  expect((await answer.text()).split('\r\n').filter((row) => row.startsWith('"'))).toHaveLength(50);
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

/** What each fault shows of the DROP list, or of a service. */
const shows: Record<FeedFault, (feeds: FeedsSimulator) => Promise<unknown>> = {
  html: async (feeds) => expect(await textOf(feeds, drop)).toMatch(/^<!doctype html>/),
  empty: async (feeds) => expect(await textOf(feeds, drop)).toBe(''),
  half: async (feeds) => expect(await textOf(feeds, drop)).not.toContain('"records"'),
  'cut-off': async (feeds) => expect(textOf(feeds, drop)).rejects.toThrow(),
  shrunk: async (feeds) => expect(await textOf(feeds, drop)).not.toContain('cidr'),
  garbled: async (feeds) => expect(await textOf(feeds, drop)).toContain('\u0000;'),
  huge: async (feeds) => expect((await ask(feeds, drop)).headers.get('content-length')).toBe('70000000'),
  bomb: async (feeds) => {
    feeds.clearFaults();
    feeds.fail('bomb', { value: 1_000_000 });
    const answer = await ask(feeds, drop, { headers: { 'accept-encoding': 'identity' } });
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(10_000);
    expect((await answer.text()).length).toBe(1_000_000);
  },
  'error-500': async (feeds) => expect((await ask(feeds, drop)).status).toBe(500),
  'too-many': async (feeds) => {
    const { status, headers } = await ask(feeds, drop);
    expect([status, headers.get('retry-after')]).toEqual([429, '30']);
  },
  forbidden: async (feeds) => expect((await ask(feeds, drop)).status).toBe(403),
  redirect: async (feeds) =>
    expect((await ask(feeds, drop)).headers.get('location')).toBe('https://elsewhere.invalid/'),
  slow: async (feeds) => {
    const started = performance.now();
    feeds.clearFaults();
    feeds.fail('slow', { value: 300 });
    await ask(feeds, drop);
    expect(performance.now() - started).toBeGreaterThan(290);
  },
  hang: async (feeds) => {
    const answer = await ask(feeds, drop);
    const silence = AbortSignal.timeout(200);
    const over = new Promise((resolve) => silence.addEventListener('abort', () => resolve('silence')));
    expect(await Promise.race([answer.text().catch(() => 'ended'), over])).toBe('silence');
  },
  'no-validators': async (feeds) => expect((await ask(feeds, drop)).headers.has('etag')).toBe(false),
  'not-json': async (feeds) =>
    expect(await textOf(feeds, '/otx/api/v1/indicators/IPv4/9.9.9.9/general')).toMatch(/^<!doctype html>/),
};

for (const [name, show] of Object.entries(shows) as [FeedFault, (typeof shows)[FeedFault]][]) {
  verifies('sim.feeds.faults', `${name} shows, and is over when it is cleared`, async () => {
    await using feeds = await startFeeds();
    feeds.fail(name);
    await show(feeds);
    feeds.clearFaults();
    expect(await textOf(feeds, drop)).toContain('"records":1');
  });
}

test('a fault of one publisher leaves the others alone', async () => {
  await using feeds = await startFeeds();
  feeds.fail('error-500', { command: '/spamhaus' });
  expect((await ask(feeds, drop)).status).toBe(500);
  expect((await ask(feeds, c2)).status).toBe(200);
  expect(() => feeds.fail('slow', { value: 'long' })).toThrow('slow: value is');
});

test('documents are packed for who can read that', async () => {
  await using feeds = await startFeeds();
  const { request } = await import('undici');
  const { headers, body } = await request(new URL(c2, feeds.url), { headers: { 'accept-encoding': 'gzip' } });
  expect(headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(Buffer.from(await body.arrayBuffer())).toString()).toContain('203.0.113.44');
});
