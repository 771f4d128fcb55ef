// A server of a few routes: what each answer carries, what is said of it in the log, and which mistakes it does not hide.
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { z } from 'zod';
import '#contract/errors.ts';
import { AppError, type ErrorCode } from '#kernel/errors.ts';
import { bodyStream, gzippedJson, readyJson } from '#kernel/http/ready-body.ts';
import { reply } from '#kernel/http/route.ts';
import { mount, type ServeOptions, startServer } from '#kernel/http/serve.ts';
import { raw } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { collectLog } from '../support/log-lines.ts';

const about = { access: null, summary: '' } as const;
const anything = { 200: z.unknown() };
const routes = {
  plain: { ...about, method: 'GET', path: '/plain', reply: { 200: z.object({ n: z.int() }), 202: z.null() } },
  save: {
    ...about,
    method: 'POST',
    path: '/save',
    body: z.object({ n: z.int().optional() }),
    reply: { 200: z.null() },
  },
  page: { ...about, method: 'GET', path: '/page', reply: anything, navigated: true, failure: { success: false } },
  fail: { ...about, method: 'GET', path: '/fail/:code', params: z.object({ code: z.string() }), reply: anything },
  live: { ...about, method: 'GET', path: '/live', reply: { 200: z.string() }, stream: true },
  file: { ...about, method: 'GET', path: '/file', reply: { 200: z.string() }, media: ['text/csv'] },
  packed: { ...about, method: 'GET', path: '/packed', reply: { 200: z.string() }, media: ['application/octet-stream'] },
} as const;

const later = { n: 2 };

async function start(options: Partial<ServeOptions<null, string>> = {}, answer: () => unknown = () => ({ n: 1 })) {
  const { log, lines } = collectLog('debug');
  const handlers = {
    plain: async () => answer() as { n: number },
    save: async () => null,
    page: async () => {
      throw new AppError('forbidden', 'not for you');
    },
    fail: async ({ params }: { params: { code: string } }) => {
      throw new AppError(params.code as ErrorCode, 'refused');
    },
    live: async () => Readable.from(['data: 1\n\n']) as never,
    file: async () =>
      bodyStream({ type: 'text/csv', headers: { 'x-rows': '1' }, body: Readable.from(['a,b']) }) as never,
    packed: async () =>
      bodyStream({ type: 'application/octet-stream', headers: {}, body: Readable.from(['x'.repeat(5000)]) }) as never,
  };
  const served = await startServer<null, string>({
    ...{ mounted: [mount(routes, handlers) as never], authorize: () => 'somebody', log, host: '127.0.0.1', port: 0 },
    ...options,
  });
  const ask = (path: string, headers: Record<string, string> = {}) => raw(served.url, { method: 'GET', path, headers });
  return { served, lines, ask, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

test('a body, an empty one, cookies, headers and ready bodies go out as they were made', async () => {
  const cookie = { name: 'a', maxAgeMs: 1999, path: '/', secure: true, httpOnly: true, value: 'x' };
  const answers: unknown[] = [
    { n: 1 },
    reply(202, null, { headers: { 'x-own': 'yes' }, cookies: [cookie, { ...cookie, name: 'b', maxAgeMs: 0 }] }),
    readyJson(new TextEncoder().encode('{"n":3}')),
  ];
  await using scene = await start({}, () => answers.shift());
  const { ask } = scene;
  const plain = await ask('/plain');
  expect([plain.status, plain.text]).toEqual([200, '{"n":1}']);
  for (const header of ['ratelimit-limit', 'strict-transport-security', 'set-cookie']) {
    expect(plain.headers).not.toHaveProperty(header);
  }
  const empty = await ask('/plain');
  expect([empty.status, empty.text, empty.headers['x-own']]).toEqual([202, '', 'yes']);
  expect(empty.headers['set-cookie']).toEqual([
    'a=x; Max-Age=1; Path=/; HttpOnly; Secure; SameSite=Lax',
    expect.stringMatching(
      /^b=; (?:Max-Age=0; )?Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ]);
  const ready = await ask('/plain');
  expect([ready.headers['content-type'], ready.body]).toEqual(['application/json; charset=utf-8', { n: 3 }]);
  const file = await ask('/file');
  expect([file.headers['content-type'], file.headers['x-rows'], file.text]).toEqual(['text/csv', '1', 'a,b']);
});

test('a packed body is unpacked for a caller who does not take gzip', async () => {
  await using scene = await start({ checkReplies: true }, () => gzippedJson(gzipSync(JSON.stringify(later))));
  const plain = await scene.ask('/plain');
  expect([plain.body, plain.headers.vary, plain.headers['content-encoding']]).toEqual([
    later,
    expect.stringMatching(/accept-encoding/i),
    undefined,
  ]);
  const packed = await scene.ask('/plain', { 'accept-encoding': 'gzip' });
  expect([packed.status, packed.headers['content-encoding']]).toEqual([200, 'gzip']);
});

test('a file goes out as it is, also for a caller who takes gzip', async () => {
  await using scene = await start();
  const encodings = { 'accept-encoding': 'gzip' };
  const file = await scene.ask('/packed', encodings);
  expect([file.headers['content-encoding'], file.text.length]).toEqual([undefined, 5000]);
  expect((await scene.ask('/plain', encodings)).status).toBe(200);
});

test('a reply that is not of the contract fails where that is checked, ready bodies too', async () => {
  const wrong = [{ n: 'text' }, reply(299, { n: 1 }), readyJson(new TextEncoder().encode('{"n":"text"}'))];
  const answers = [...wrong, ...wrong];
  await using strict = await start({ checkReplies: true }, () => answers.shift());
  await using trusting = await start({}, () => answers.shift());
  for (const [scene, statuses] of [
    [strict, [500, 500, 500]],
    [trusting, [200, 299, 200]],
  ] as const) {
    for (const status of statuses) {
      expect((await scene.ask('/plain')).status).toBe(status);
    }
  }
});

test('a page that a browser was sent to is refused in plain text; other callers get the members of the route', async () => {
  await using scene = await start();
  const id = { 'x-request-id': 'id-1' };
  const browser = await scene.ask('/page', { ...id, accept: 'text/html,*/*' });
  expect(browser.text).toBe('not for you (forbidden, request id-1)\n');
  expect([browser.status, browser.headers['content-type']]).toEqual([403, 'text/plain; charset=utf-8']);
  for (const accept of ['*/*', 'application/json, text/html', 'text/htmlx']) {
    expect((await scene.ask('/page', { ...id, accept })).body).toEqual({
      success: false,
      error: 'not for you',
      code: 'forbidden',
      requestId: 'id-1',
    });
  }
  const elsewhere = await scene.ask('/fail/forbidden', { ...id, accept: 'text/html' });
  expect(elsewhere.body).toEqual({ error: 'refused', code: 'forbidden', requestId: 'id-1' });
});

test('the log has a line for each answer, as urgent as what happened', async () => {
  await using scene = await start();
  await using slow = await start({ slowMs: 0 });
  const saidOf = async ({ ask, lines }: typeof scene, path: string) => {
    lines.length = 0;
    await ask(path, { 'x-request-id': 'id-1' });
    const last = await eventually(
      async () => (lines as unknown as Record<string, unknown>[]).find((line) => 'elapsedMs' in line),
      (line) => line,
    );
    expect(last).toMatchObject({
      requestId: 'id-1',
      method: 'GET',
      path: path.split('?')[0],
      elapsedMs: expect.any(Number),
    });
    return [last.level, last.msg, last.status];
  };
  expect(await saidOf(scene, '/plain?secret=1')).toEqual([20, 'request', 400]);
  expect(await saidOf(scene, '/fail/unauthorized')).toEqual([40, 'request refused', 401]);
  expect(await saidOf(scene, '/fail/rate_limited')).toEqual([40, 'request refused', 429]);
  expect(await saidOf(scene, '/fail/forbidden')).toEqual([20, 'request', 403]);
  expect(await saidOf(scene, '/fail/not_ready')).toEqual([40, 'request refused', 503]);
  expect(await saidOf(scene, '/fail/router_detect_failed')).toEqual([20, 'request', 502]);
  expect(await saidOf(scene, '/fail/internal')).toEqual([50, 'request failed', 500]);
  expect(await saidOf(slow, '/plain')).toEqual([40, 'slow request', 200]);
  expect(await saidOf(slow, '/nowhere')).toEqual([40, 'slow request', 404]);
  expect(await saidOf(slow, '/live')).toEqual([20, 'request', 200]);
});

test('only behind a proxy that is believed does a request count as one over TLS', async () => {
  const over = { 'x-forwarded-proto': 'https' };
  const header = 'strict-transport-security';
  await using believed = await start({ trustProxy: ['127.0.0.1'] });
  expect((await believed.ask('/plain', over)).headers[header]).toBe('max-age=31536000; includeSubDomains');
  expect((await believed.ask('/plain')).headers).not.toHaveProperty(header);
  for (const trustProxy of [[], ['10.0.0.1']]) {
    await using scene = await start({ trustProxy });
    expect((await scene.ask('/plain', over)).headers).not.toHaveProperty(header);
  }
});

test('who was let in is looked at again where a body came; every call is told with its status', async () => {
  const told: unknown[] = [];
  let confirmed = 0;
  await using scene = await start({
    confirmCredential: (_request, principal) => {
      confirmed += 1;
      expect(principal).toBe('somebody');
    },
    beforeAnswer: ({ route, principal, status }) => told.push([route.path, principal, status]),
  });
  const save = (body: string, headers = {}) =>
    raw(scene.served.url, {
      method: 'POST',
      path: '/save',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  await scene.ask('/plain');
  await scene.ask('/fail/forbidden');
  expect(confirmed).toBe(0);
  expect((await save('')).status).toBe(200);
  expect((await raw(scene.served.url, { method: 'POST', path: '/save' })).status).toBe(200);
  expect((await save('{"n":"x"}')).body).toMatchObject({ error: 'n must be a whole number, not text' });
  expect(confirmed).toBe(3);
  await scene.ask('/file');
  const called = [
    ['/plain', 200],
    ['/fail/:code', 403],
    ['/save', 200],
    ['/save', 200],
    ['/save', 400],
    ['/file', 200],
  ];
  expect(told).toEqual(called.map(([path, status]) => [path, 'somebody', status]));
  for (const name of ['__proto__', 'constructor']) {
    expect((await save(`{"n":null,"a":{"${name}":{"prototype":1}}}`)).body).toMatchObject({
      ...{ code: 'invalid_body', error: `a member of the body is called ${name}, which is not accepted` },
    });
  }
  expect((await save('{"constructor":1,"__proto')).body).toMatchObject({ code: 'malformed_json' });
  const packed = await save('{}', { 'content-encoding': 'gzip' });
  expect(packed).toMatchObject({ status: 415, body: { error: 'send the body uncompressed' } });
});

test('a route without a handler ends the start', async () => {
  await expect(start({ mounted: [{ routes, handlers: {} } as never] })).rejects.toThrow('no handler for GET /plain');
});
