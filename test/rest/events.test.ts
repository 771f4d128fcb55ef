// Live updates over real HTTP: who gets what, where a reader goes on, and every way in which a stream ends.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectionsUpdate, liveEvents } from '#contract/events.ts';
import { limits } from '#contract/limits.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { type Browser, raw } from '../support/actors.ts';
import { type EventReader, readEvents } from '../support/event-reader.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { browserAs } from '../support/role-session.ts';

const token = (value: string) => ({ 'x-admin-token': value });
const cookie = (browser: Browser) => ({
  cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
});

/** A stream of `lab` whose opening event was read. */
async function opened(lab: Pick<Lab<never>, 'url'>, headers: Record<string, string>): Promise<EventReader> {
  const reader = await readEvents(lab.url, headers);
  expect(reader.status).toBe(200);
  expect((await reader.next()).event).toBe('ready');
  return reader;
}

/** Reads to the end; the reason of the last event. */
async function closedWith(reader: EventReader): Promise<unknown> {
  const { data } = await reader.next('closed');
  await reader.ended;
  expect(reader.names.at(-1)).toBe('closed');
  return (data as { reason: unknown }).reason;
}

/** Makes a routers-status event of its own by editing a router. */
async function rename(lab: Lab<never>, id: string, displayName: string): Promise<void> {
  await lab.as.admin.routers.update({ params: { id }, body: { displayName } });
}

async function addSilentRouter(lab: Lab<never>): Promise<string> {
  const body = { kind: 'vendor_a', ip: '10.0.0.1', user: 'login-name', pass: 'p', enabled: false } as const;
  return (await lab.as.admin.routers.create({ body })).router.id;
}

const nameOf = (data: unknown) => (data as { displayName: string }[])[0]?.displayName;

describe('who may listen', () => {
  test('network.read by header or cookie; not nobody, not another permission, not another site', async () => {
    await using lab = await startLab();
    const call = { method: 'GET', path: '/api/events' } as const;
    expect((await raw(lab.url, call)).status).toBe(401);
    const { token: other } = await lab.as.identity(['ai.run', 'settings.write']);
    expect(await raw(lab.url, { ...call, headers: token(other) })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    const viewer = await browserAs(lab, 'viewer');
    using _byCookie = await opened(lab, cookie(viewer));
    using _byPage = await opened(lab, { ...cookie(viewer), 'sec-fetch-site': 'same-origin', origin: lab.url.origin });
    const { token: reader } = await lab.as.identity(['network.read']);
    using _byHeader = await opened(lab, { ...token(reader), origin: 'https://evil.example' });
    const foreign = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-site' }] as const;
    for (const headers of foreign) {
      expect(await raw(lab.url, { ...call, headers: { ...cookie(viewer), ...headers } })).toMatchObject({
        status: 403,
        body: { code: 'csrf_rejected' },
      });
    }
  });

  test('headers keep proxies and caches out; HEAD has the same and no stream', async () => {
    await using lab = await startLab();
    using reader = await opened(lab, { ...token(lab.adminToken), 'accept-encoding': 'gzip' });
    const expected = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    };
    expect(reader.headers).toMatchObject(expected);
    expect(reader.headers['content-encoding']).toBeUndefined();
    const head = await raw(lab.url, { method: 'HEAD', path: '/api/events', headers: token(lab.adminToken) });
    expect(head).toMatchObject({ status: 200, headers: expected, text: '' });
    expect((await raw(lab.url, { method: 'HEAD', path: '/api/events' })).status).toBe(401);
  });

  test('a credential has ten streams, and all together a hundred, until one goes', async () => {
    await using lab = await startLab();
    const readers: EventReader[] = [];
    const call = (holder: string) => ({ method: 'GET', path: '/api/events', headers: token(holder) }) as const;
    for (let full = 0; full < limits.liveStreams; full += limits.liveStreamsOfCredential) {
      const { token: holder } = await lab.as.identity(['network.read']);
      for (let count = 0; count < limits.liveStreamsOfCredential; count += 1) {
        readers.push(await opened(lab, token(holder)));
      }
      const own = await raw(lab.url, call(holder));
      expect(own).toMatchObject({ status: 429, headers: { 'retry-after': '30' }, body: { code: 'stream_limit' } });
      expect(own.body).toMatchObject({ error: expect.stringContaining('10 live streams') });
    }
    const refused = await raw(lab.url, call(lab.adminToken));
    expect(refused).toMatchObject({ status: 503, body: { code: 'too_many_streams' } });
    expect(refused.headers['retry-after']).toBe('30');
    readers[0]?.[Symbol.dispose]();
    await expect.poll(async () => (await raw(lab.url, call(lab.adminToken))).status).toBe(200);
    readers.forEach((reader) => void reader[Symbol.dispose]());
  });
});

describe('what comes', () => {
  test('a poll brings the rows it changed and the new status, in the forms of the contract', async () => {
    await using lab = await startLab({ routers: { home: { kind: 'vendor_a', sessions: 600, traffic: true } } });
    using reader = await opened(lab, token(lab.adminToken));
    await lab.poll();
    const update = await reader.next('connections-update');
    const { connections, partial, serverTime } = connectionsUpdate.parse(update.data);
    expect(partial).toBe(true);
    expect(serverTime).toBe(lab.clock.now());
    const { connections: listed } = await lab.as.admin.connections.list({});
    expect(connections.length).toBeGreaterThan(0);
    for (const connection of connections) {
      expect(listed).toContainEqual(connection);
    }
    const status = await reader.next('routers-status');
    const { routers } = await lab.as.admin.routers.list({});
    expect(liveEvents['routers-status'].data.parse(status.data)).toEqual(routers);
    const beginning = (update.id ?? '').replace(/\d+$/, '0');
    using again = await opened(lab, { ...token(lab.adminToken), 'last-event-id': beginning });
    const first = connectionsUpdate.parse((await again.next('connections-update')).data);
    expect([first.connections.length, first.truncated]).toEqual([limits.liveConnections, true]);
  });

  test('login names of routers only for who may change settings', async () => {
    await using lab = await startLab();
    const id = await addSilentRouter(lab);
    using viewer = await opened(lab, cookie(await browserAs(lab, 'viewer')));
    using admin = await opened(lab, token(lab.adminToken));
    await rename(lab, id, 'renamed');
    const [seen, full] = [await viewer.next('routers-status'), await admin.next('routers-status')];
    expect([nameOf(seen.data), nameOf(full.data)]).toEqual(['renamed', 'renamed']);
    expect(seen.id).toBe(full.id);
    expect(JSON.stringify(full.data)).toContain('login-name');
    expect(JSON.stringify(seen.data)).not.toContain('login-name');
  });

  test('a comment every 15 s keeps the stream alive', async () => {
    await using lab = await startLab();
    using reader = await opened(lab, token(lab.adminToken));
    await lab.advance(2 * limits.liveHeartbeatMs);
    await expect.poll(() => reader.comments()).toBe(2);
  });
});

describe('where a reader goes on', () => {
  test('after its last event, without a gap and without a repetition', async () => {
    await using lab = await startLab();
    const id = await addSilentRouter(lab);
    using first = await opened(lab, token(lab.adminToken));
    await rename(lab, id, 'one');
    const last = await first.next('routers-status');
    first[Symbol.dispose]();
    await rename(lab, id, 'two');
    await rename(lab, id, 'three');
    await lab.settled();
    using second = await opened(lab, { ...token(lab.adminToken), 'last-event-id': last.id ?? '' });
    const missed = [await second.next(), await second.next()];
    expect(missed.map(({ data }) => nameOf(data))).toEqual(['two', 'three']);
    const numbers = [last, ...missed].map((event) => Number(event.id?.split('.').at(-1)));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(3);
  });

  test('resync for an id of another run, of the future, or of nobody', async () => {
    await using lab = await startLab();
    const id = await addSilentRouter(lab);
    const reader = await readEvents(lab.url, token(lab.adminToken));
    const { id: old = '' } = await reader.next('ready');
    reader[Symbol.dispose]();
    const openingFor = async (lastId: string) => {
      using again = await readEvents(lab.url, { ...token(lab.adminToken), 'last-event-id': lastId });
      return again.next();
    };
    expect(await openingFor(old)).toMatchObject({ event: 'ready', id: old });
    for (const strange of ['x', '1.1', '.', old.replace(/\d+$/, '999999'), old.replace(/\d+$/, '-1')]) {
      expect(await openingFor(strange)).toMatchObject({
        event: 'resync',
        id: old,
        data: { serverTime: lab.clock.now() },
      });
    }
    await rename(lab, id, 'one more');
    expect((await openingFor(old)).event).toBe('ready');
    const { id: latest = '' } = await openingFor('');
    expect((await openingFor(latest)).event).toBe('ready');
    await lab.restart();
    expect((await openingFor(latest)).event).toBe('resync');
  });
});

describe('a stream ends with its credential', () => {
  test('revoked identity, logout, revoked session, new admin token: at once, and only theirs', async () => {
    await using lab = await startLab();
    const identity = await lab.as.identity(['network.read']);
    const [leaving, revoked, staying] = [await lab.as.browser(), await lab.as.browser(), await lab.as.browser()];
    using byIdentity = await opened(lab, token(identity.token));
    using byLeaving = await opened(lab, cookie(leaving));
    using byRevoked = await opened(lab, token(revoked.cookies.get('monitor_session') ?? ''));
    using byStaying = await opened(lab, cookie(staying));
    using byAdmin = await opened(lab, token(lab.adminToken));
    await lab.as.admin.auth.revokeIdentity({ params: { id: identity.id }, body: {} });
    expect(await closedWith(byIdentity)).toBe('revoked');
    await leaving.post('/api/auth/logout');
    expect(await closedWith(byLeaving)).toBe('revoked');
    await staying.post('/api/auth/sessions/revoke-all', {});
    expect(await closedWith(byRevoked)).toBe('revoked');
    await staying.post('/api/admin/regenerate-token', { currentPassword: lab.password });
    expect(await closedWith(byAdmin)).toBe('revoked');
    await addSilentRouterAs(staying);
    expect((await byStaying.next('routers-status')).event).toBe('routers-status');
    expect(byStaying.names).not.toContain('closed');
  });

  test('the end of its lifetime, a changed role, and the stop of the hub are told as what they are', async () => {
    const lab = await startLab();
    const operator = await browserAs(lab, 'operator');
    const short = await lab.as.admin.auth.createIdentity({
      body: { label: 'short', permissions: ['network.read'], expiresInMs: 90_000 },
    });
    using byShort = await opened(lab, token(short.token));
    using byOperator = await opened(lab, cookie(operator));
    using byAdmin = await opened(lab, token(lab.adminToken));
    await lab.advance(89_999);
    expect(byShort.names).toEqual(['ready']);
    await lab.advance(1);
    expect(await closedWith(byShort)).toBe('expired');
    const db = new Db(path.join(lab.dataDir, 'monitor.db'));
    const endsAt = lab.clock.now() + limits.liveRecheckMs + 90_000;
    await db.write((writer) => void writer.prepare("UPDATE session SET role = 'viewer', expires_at = ?").run(endsAt));
    await db.close();
    await lab.advance(limits.liveRecheckMs);
    expect(await closedWith(byOperator)).toBe('permissions_changed');
    using byViewer = await opened(lab, cookie(operator));
    await lab.advance(90_000);
    expect(await closedWith(byViewer)).toBe('expired');
    const stopped = lab[Symbol.asyncDispose]();
    expect(await closedWith(byAdmin)).toBe('stopping');
    await stopped;
  });

  test('the stop does not wait for a reader that does not read', async () => {
    const lab = await startLab();
    using reader = await opened(lab, token(lab.adminToken));
    reader.pause();
    await lab[Symbol.asyncDispose]();
    await expect(raw(lab.url, { method: 'GET', path: '/healthz' })).rejects.toThrow();
  });
});

async function addSilentRouterAs(browser: Browser): Promise<void> {
  const body = { kind: 'vendor_a', ip: '10.0.0.1', user: 'u', pass: 'p', enabled: false };
  expect((await browser.post('/api/routers', body)).status).toBe(201);
}
