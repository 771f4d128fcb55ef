// The rules every path shares: ids, error shape, order of checks, bodies, methods, headers.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import { type RawAnswer, raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { runProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** What someone would write who knows only the reference: no library, no cookie. */
const automation = `
  const [origin, token] = process.argv.slice(1);
  const call = async (method, path, body) => {
    const headers = { 'X-Admin-Token': token, ...(body ? { 'Content-Type': 'application/json' } : {}) };
    const answer = await fetch(origin + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return { status: answer.status, body: await answer.json() };
  };
  const made = await call('POST', '/api/routers', { kind: 'vendor_b', displayName: 'by a script', ip: '10.0.0.1',
    user: 'u', pass: 'p', enabled: false });
  const { body } = await call('GET', '/api/routers');
  const removed = await call('DELETE', '/api/routers/' + made.body.router.id);
  const left = (await call('GET', '/api/routers')).body.routers.length;
  console.log(JSON.stringify({ created: made.status, names: body.routers.map((one) => one.displayName),
    removed: removed.status, left }));`;
const router = { kind: 'vendor_a' as const, ip: '192.168.10.1', user: 'monitor', pass: 'secret', enabled: false };

async function state(lab: Lab<never>) {
  return JSON.stringify((await lab.as.admin.routers.list({})).routers);
}

describe('request ids', () => {
  const cases: readonly [string, { method: 'GET' | 'POST' | 'PATCH'; path: string; body?: string }][] = [
    ['success', { method: 'GET', path: '/api/routers' }],
    ['health', { method: 'GET', path: '/healthz' }],
    ['404', { method: 'GET', path: '/api/nothing' }],
    ['405', { method: 'PATCH', path: '/api/routers' }],
    ['400', { method: 'POST', path: '/api/routers', body: '{' }],
    ['413', { method: 'POST', path: '/api/routers', body: `"${'x'.repeat(70_000)}"` }],
  ];
  verifies(
    'rest.common.request-id-always rest.common.request-id-kept',
    'a safe id comes back on every answer',
    async () => {
      await using lab = await startLab();
      for (const [, call] of cases) {
        const given = `probe:${'a'.repeat(57)}.`;
        const answer = await lab.as.raw({
          ...call,
          headers: { 'x-request-id': given, ...(call.body ? { 'content-type': 'application/json' } : {}) },
        });
        expect(answer.headers['x-request-id']).toBe(given);
      }
    },
  );
  verifies('rest.common.request-id-replaced', 'a missing or unsafe one is replaced by a UUID', async () => {
    await using lab = await startLab();
    for (const given of [undefined, '', '-a', 'a b', 'a'.repeat(65), 'a\u00e9', '{}', '../x']) {
      const headers = given === undefined ? {} : { 'x-request-id': Buffer.from(given).toString('latin1') };
      const answer = await lab.as.raw({ method: 'GET', path: '/healthz', headers });
      expect(answer.headers['x-request-id']).toMatch(uuid);
    }
  });
});

const json = { 'content-type': 'application/json' };

/** JSON with a message, a stable code and the request id, whatever went wrong; `details`: more members. */
function expectError(answer: RawAnswer, status: number, code: string, details = {}): void {
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
  const requestId = answer.headers['x-request-id'];
  expect(answer.body).toEqual({ error: expect.stringMatching(/\w/), code, requestId, ...details });
}

verifies('rest.errors.400 rest.errors.401 rest.errors.404', 'each refusal has its status and code', async () => {
  await using lab = await startLab();
  const post = (body: string) => lab.as.raw({ method: 'POST', path: '/api/routers', headers: json, body });
  expectError(await post('{"a":1}'), 400, 'invalid_body', {
    field: 'kind',
    problem: { code: 'missing', limit: null, unit: null },
  });
  expectError(await post('{"a":'), 400, 'malformed_json');
  for (const headers of [{}, { 'x-admin-token': 'wrong' }, { cookie: 'monitor_session=wrong' }]) {
    expectError(await raw(lab.url, { method: 'GET', path: '/api/routers', headers }), 401, 'unauthorized');
  }
  expectError(await lab.as.raw({ method: 'GET', path: '/api/nothing' }), 404, 'not_found');
  expectError(await lab.as.raw({ method: 'DELETE', path: '/api/routers/none' }), 404, 'not_found');
});

test('a refusal of one member names it: in a list with its place, whether a schema or the hub refused it', async () => {
  await using lab = await startLab();
  const refused = async (path: string, body: unknown) => {
    const answer = await lab.as.raw({ method: 'POST', path, headers: json, body: JSON.stringify(body) });
    const { field, error, problem } = answer.body as { field: string; error: string; problem?: { code: string } };
    return [field, error.startsWith(`${field} `), problem?.code];
  };
  expect(await refused('/api/beacons/config', { minObs: 1 })).toEqual(['minObs', true, 'too_small']);
  expect(await refused('/api/beacons/config', { whitelistDomains: ['a.example', ':'] })).toEqual([
    ...['whitelistDomains.1', true, expect.any(String)],
  ]);
  const allowList = ['example.org', '192.168.1.1'];
  expect(await refused('/api/config/threat-feeds', { allowList })).toEqual(['allowList.1', true, 'not_public']);
  expect(await refused('/api/config/datasources', { dns: { logFile: '/etc/passwd' } })).toEqual([
    ...['dns.logFile', true, 'not_log_folder'],
  ]);
  expect(await refused('/api/config/datasources', { dns: { enabled: true } })).toEqual([
    'dns.logFile',
    true,
    'missing',
  ]);
  expect(await refused('/api/config/enrichment', { ptr: { resolver: 'x' } })).toEqual([
    ...['ptr.resolver', true, 'not_name_server'],
  ]);
  expect(await refused('/api/config/general', { colour: 1 })).toEqual(['colour', true, 'unrecognized_keys']);
});

verifies(
  'rest.common.error-shape rest.common.json',
  'bodies are JSON both ways: refusals, answers, and what is sent',
  async () => {
    await using lab = await startLab();
    expectError(await lab.as.raw({ method: 'DELETE', path: '/api/routers' }), 405, 'method_not_allowed');
    const body = JSON.stringify(router);
    for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded']) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const refused = await lab.as.raw({ method: 'POST', path: '/api/routers', headers, body });
      expectError(refused, 415, 'unsupported_media_type');
    }
    const made = await lab.as.raw({ method: 'POST', path: '/api/routers', headers: json, body });
    const list = await lab.as.raw({ method: 'GET', path: '/api/routers' });
    expect([made.status, list.status]).toEqual([201, 200]);
    for (const { headers, text } of [made, list]) {
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(JSON.parse(text)).toBeTypeOf('object');
    }
  },
);

verifies('rest.common.body-64kb', 'a JSON body of 65,536 bytes is read, one more byte is 413', async () => {
  await using lab = await startLab();
  const send = (bytes: number) => {
    const body = JSON.stringify({ ...router, displayName: '' }).replace('"displayName":""', '"displayName":"PAD"');
    const padded = body.replace('PAD', 'x'.repeat(bytes - body.length + 3));
    return lab.as.raw({
      method: 'POST',
      path: '/api/routers',
      headers: { 'content-type': 'application/json' },
      body: padded,
    });
  };
  expect(await send(65_536)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  expect(await send(65_537)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
});

verifies('rest.common.reject-before-change', 'a rejected input changes nothing', async () => {
  await using lab = await startLab();
  await lab.as.admin.routers.create({ body: router });
  const before = await state(lab);
  const bodies = [
    'null',
    '1',
    '"x"',
    'true',
    '[]',
    '{',
    'NaN',
    '{"a":1} x',
    '{"__proto__":{"enabled":true}}',
    '{"constructor":{"prototype":{}}}',
    JSON.stringify({ ...router, ip: ['192.168.1.1'] }),
    JSON.stringify({ ...router, ip: '8.8.8.8' }),
    JSON.stringify({ ...router, nat: 0 }),
    JSON.stringify({ ...router, unknown: 1 }),
    JSON.stringify({ ...router, displayName: 'a\u0007b' }),
    '['.repeat(1000) + ']'.repeat(1000),
  ];
  for (const body of bodies) {
    const answer = await lab.as.raw({
      method: 'POST',
      path: '/api/routers',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([body.slice(0, 40), answer.status]).toEqual([body.slice(0, 40), 400]);
  }
  expect(await state(lab)).toBe(before);
});

verifies('rest.access.public rest.access.legacy-token', 'the order of checks: path, method, access, body', async () => {
  await using lab = await startLab();
  const nobody = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: string) =>
    raw(lab.url, {
      method,
      path,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    });
  expect((await nobody('GET', '/api/nothing')).status).toBe(404);
  for (const path of ['/api/routers', '/api/routers/', '/%61pi/routers', '/api/routers?limit=1']) {
    const { status, headers } = await nobody('PATCH', path);
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    expect(headers, 'it counts against the limit of the API').toHaveProperty('ratelimit-remaining');
  }
  expect((await nobody('POST', '/healthz', '{')).headers.allow).toBe('GET, HEAD');
  expect((await nobody('POST', '/api/routers', '{')).status).toBe(401);
  expect((await nobody('GET', '/healthz')).status).toBe(200);
  expect((await nobody('GET', '/api/connections')).status).toBe(401);
  expect(
    (await lab.as.raw({ method: 'GET', path: '/api/routers', headers: { 'x-admin-token': 'wrong' } })).status,
  ).toBe(401);
  expect((await lab.as.raw({ method: 'GET', path: '/api/routers' })).status).toBe(200);
  expect((await lab.as.raw({ method: 'GET', path: '/api/routers/' })).status).toBe(200);
});

verifies(
  'rest.service.api-prefix rest.service.no-version-segment',
  'every path that the hub describes begins with /api and has no version; without /api or with one nothing is there',
  async () => {
    await using lab = await startLab();
    const { paths } = (await lab.as.raw({ method: 'GET', path: '/api/openapi.json' })).body as {
      paths: Record<string, object>;
    };
    const outside = Object.keys(paths).filter((path) => !path.startsWith('/api/'));
    // Those of the web UI answer a page, and nothing of the API.
    const pages: string[] = Object.values(api.front).map(({ path }) => path.replace(/:(\w+)/, '{$1}'));
    expect(outside.sort()).toEqual([...pages, '/healthz', '/metrics', '/readyz'].sort());
    expect(Object.keys(paths).filter((path) => path.split('/').some((part) => /^v\d/.test(part)))).toEqual([]);
    const reads = Object.entries(paths)
      .filter(([path, verbs]) => path.startsWith('/api/') && 'get' in verbs && path !== '/api/events')
      .map(([path]) => path);
    expect(reads.length).toBeGreaterThan(20);
    const nothing = { error: 'there is nothing at this path' };
    const answerOf = (path: string) => lab.as.raw({ method: 'GET', path });
    const statusOf = async (path: string) => (await answerOf(path)).status;
    for (const path of reads) {
      const without = path.replace('/api', '');
      expect([path, (await answerOf(path)).body]).not.toMatchObject([path, nothing]);
      expect([path, await statusOf(path.replace('/api', '/api/v1'))]).toEqual([path, 404]);
      // The page of a device takes every name below /devices.
      if (pages.includes(without) || /^\/devices\/[^/]+$/.test(without)) {
        expect([without, (await answerOf(without)).headers['content-type']]).toEqual([
          without,
          'text/plain; charset=utf-8',
        ]);
      } else {
        expect([without, await statusOf(without)]).toEqual([without, 404]);
      }
    }
  },
);

test('HEAD answers as GET does, without a body', async () => {
  await using lab = await startLab();
  const get = await lab.as.raw({ method: 'GET', path: '/api/routers' });
  const head = await lab.as.raw({ method: 'HEAD', path: '/api/routers' });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(head.headers['content-type']).toBe(get.headers['content-type']);
  expect((await raw(lab.url, { method: 'HEAD', path: '/api/routers' })).status).toBe(401);
});

verifies(
  'rest.service.serves-automation',
  'a script with one header and no cookie reads and changes what its identity may',
  async () => {
    await using lab = await startLab();
    const { token } = await lab.as.identity(['network.read', 'settings.write']);
    const { stdout } = await runProgram(['-e', automation, lab.url.origin, token]);
    expect(JSON.parse(stdout)).toEqual({ created: 201, names: ['by a script'], removed: 200, left: 0 });
  },
);

test('answers cannot be cached, framed or sniffed', async () => {
  await using lab = await startLab();
  const { headers } = await lab.as.raw({ method: 'GET', path: '/api/routers' });
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-frame-options']).toBe('DENY');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(headers['x-powered-by']).toBeUndefined();
});

verifies('rest.errors.500', 'a failed save is 500 and keeps the state before', async () => {
  await using lab = await startLab();
  await lab.as.admin.routers.create({ body: router });
  const before = await state(lab);
  const file = `${lab.dataDir}/monitor.json`;
  renameSync(file, `${file}.kept`);
  mkdirSync(`${file}/in-the-way`, { recursive: true });
  const answer = await lab.as.raw({
    method: 'POST',
    path: '/api/routers',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...router, ip: '192.168.10.2' }),
  });
  expect(answer).toMatchObject({ status: 500, body: { code: 'save_failed' } });
  expect(await state(lab)).toBe(before);
  rmSync(file, { recursive: true });
  renameSync(`${file}.kept`, file);
  expect((await lab.as.admin.routers.create({ body: { ...router, ip: '192.168.10.2' } })).success).toBe(true);
});

verifies('rest.common.request-id-always', 'what is not HTTP gets an answer in the same shape', async () => {
  await using lab = await startLab();
  const send = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(lab.url.port), lab.url.hostname, () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('end', () => resolve(answer));
      socket.on('error', reject);
    });
  const broken = await send('NONSENSE\r\n\r\n');
  expect(broken).toMatch(/^HTTP\/1.1 400 /);
  expect(broken).toMatch(/X-Request-Id: [0-9a-f-]{36}/);
  const huge = await send(`GET /api/status HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`);
  expect(huge).toMatch(/^HTTP\/1.1 431 /);
  expect(huge).toContain('"code":"headers_too_large"');
});
