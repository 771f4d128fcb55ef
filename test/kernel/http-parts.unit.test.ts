// Small parts of a server: failures, ids, paths, proxies, bodies, broken connections.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { AppError } from '#kernel/errors.ts';
import { boundedChunks } from '#kernel/http/bounded-fetch.ts';
import { answerBrokenSocket } from '#kernel/http/broken-socket.ts';
import { CallsUnderWay, deferred } from '#kernel/http/deferred.ts';
import { isTagListed } from '#kernel/http/entity-tag.ts';
import { toAppError } from '#kernel/http/failure.ts';
import { fits } from '#kernel/http/json-schema.ts';
import { choosePayload, gzippedJson } from '#kernel/http/ready-body.ts';
import { printablePath } from '#kernel/http/request-facts.ts';
import { acceptRequestId } from '#kernel/http/request-id.ts';
import { findRetrySeconds } from '#kernel/http/retry-after.ts';
import type { Handlers, RouteTable } from '#kernel/http/route.ts';
import { trustedProxies } from '#kernel/http/trusted-proxies.ts';
import { parsePart } from '#kernel/http/validate.ts';
import { randomHex } from '#kernel/text/secret.ts';

test.each([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'payload_too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'malformed_json'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'malformed_json'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'malformed_json'],
  ['FST_ERR_BAD_URL', 'invalid_params'],
  ['FST_ERR_ASYNC_CONSTRAINT', 'invalid_params'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not_found'],
  ['SQLITE_CORRUPT_INDEX', 'database_damaged'],
  ['ANOTHER', 'internal'],
])('%s becomes %s', (code, expected) => {
  expect(toAppError(Object.assign(new Error('inside'), { code }))).toMatchObject({ code: expected });
});

test('what is thrown without a code says nothing of itself, and is kept as the cause', () => {
  const meant = new AppError('forbidden', 'not for you');
  expect(toAppError(meant)).toBe(meant);
  for (const thrown of [new SyntaxError('inside'), { statusCode: 400 }]) {
    expect(toAppError(thrown)).toMatchObject({ code: 'malformed_json', cause: thrown });
  }
  for (const thrown of [new Error('private'), { statusCode: 404 }, 'private', null, undefined]) {
    const failure = toAppError(thrown);
    expect(failure).toMatchObject({ code: 'internal', status: 500, message: expect.not.stringContaining('private') });
    expect(failure.cause).toBe(thrown);
  }
});

test('a part that a route does not have must be empty', () => {
  expect([undefined, null, {}].map((value) => parsePart('invalid_query', undefined, value))).toEqual([{}, {}, {}]);
  expect(() => parsePart('invalid_query', undefined, { a: 1, b: 2 })).toThrow('a is not known here; nothing is');
});

test('an id of a request is kept when it is safe, at most 64 characters', () => {
  const accept = (id: string | string[] | undefined) => acceptRequestId({ headers: { 'x-request-id': id } as never });
  for (const id of ['a', '0.a_b:c-d', `A${'z'.repeat(63)}`]) {
    expect(accept(id)).toBe(id);
  }
  for (const id of [undefined, '', '-a', '.a', 'a b', 'a\n', `A${'z'.repeat(64)}`, ['a']]) {
    expect(accept(id)).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
});

test('a path is logged without its query, 512 characters of it, nothing that cannot be printed', () => {
  expect(printablePath('/a?b?c')).toBe('/a');
  expect(printablePath('/a b~\x1b\x7fé')).toBe('/a b~???');
  expect(printablePath(`/${'x'.repeat(600)}`)).toHaveLength(512);
});

test('handlers of what is being built answer 503 until they are there', () => {
  const routes = { a: { method: 'GET', path: '/a', access: null, summary: '', reply: {} } } as const;
  const current: { handlers?: Handlers<RouteTable<null>, null> } = {};
  const { a } = deferred<RouteTable<null>, null>(routes, () => current.handlers);
  const call = () => a?.({} as never);
  expect(call).toThrow(expect.objectContaining({ code: 'not_ready', status: 503 }));
  for (const n of [1, 2]) {
    current.handlers = { a: () => n as never };
    expect(call()).toBe(n);
  }
});

test('proxies are addresses and IPv4 ranges, with or without spaces; never everything', () => {
  expect(trustedProxies().parse(undefined)).toEqual([]);
  expect(trustedProxies().parse(' 10.0.0.1, ,192.168.0.0/16,::1 ,')).toEqual(['10.0.0.1', '192.168.0.0/16', '::1']);
  for (const text of ['0.0.0.0/0', '10.0.0.0/0', '2001:db8::/32', '10.0.0.0/33', 'proxy.example', '*']) {
    const { error } = trustedProxies().safeParse(`10.0.0.1,${text}`);
    expect(error?.issues.map(({ message }) => message)).toEqual([`"${text}" is not an address or an IPv4 range`]);
  }
});

test('random digits are as many as were asked for', () => {
  for (const digits of [0, 1, 2, 7, 8]) {
    expect(randomHex(digits)).toMatch(new RegExp(`^[0-9a-f]{${digits}}$`));
  }
});

test('a packed body goes out as it is, or unpacked', async () => {
  const bytes = gzipSync('{"n":1}');
  const packed = choosePayload(gzippedJson(bytes), true);
  expect(packed).toMatchObject({ payload: bytes, headers: { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } });
  const { payload, headers } = choosePayload(gzippedJson(bytes), false);
  expect([await text(payload as Readable), headers]).toEqual(['{"n":1}', { Vary: 'Accept-Encoding' }]);
});

test('a body has no chunks when there is none, and at most so many bytes', async () => {
  const tooLong = () => new Error('too long');
  expect(await text(boundedChunks(null, 1, tooLong))).toBe('');
  const chunks = async function* () {
    yield* [Buffer.from('ab'), Buffer.from('c')];
  };
  expect(await text(boundedChunks(chunks(), 3, tooLong))).toBe('abc');
  await expect(text(boundedChunks(chunks(), 2, tooLong))).rejects.toThrow('too long');
});

test.each([
  ['HPE_INVALID_METHOD', false, /^HTTP\/1\.1 400 /],
  ['ECONNRESET', false, /^$/],
  ['HPE_INVALID_METHOD', true, /^$/],
])(
  'after %s a client reads an answer where one can be sent, and its connection is closed',
  async (code, isEnded, said) => {
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const [socket] = await accepted;
    if (isEnded) {
      socket.end();
      await once(socket, 'finish');
    }
    answerBrokenSocket()(Object.assign(new Error('broken'), { code }), socket);
    const answer = await text(client);
    expect(answer).toMatch(said);
    expect(socket.destroyed).toBe(said.test(''));
    client.destroy();
    socket.destroy();
    server.close();
  },
);

test('a schema accepts a list when it is one of a list whose items accept each entry', () => {
  const texts = { type: 'array', items: { type: 'string' } } as const;
  expect([fits(['a', 'b'], texts), fits(['a', 1], texts), fits('a', texts)]).toEqual([true, false, false]);
  expect([
    fits(['a'], { type: 'string' }),
    fits(['a'], { type: 'string', items: {} }),
    fits(['a'], { type: 'array' }),
  ]).toEqual([...[false, false, false]]);
  expect([
    fits('a', { enum: ['a'] }),
    fits('b', { enum: ['a'] }),
    fits(1, { const: 1 }),
    fits(2, { const: 1 }),
  ]).toEqual([...[true, false, true, false]]);
});

test('a server that asks to wait is given one second to an hour; dates and other texts are not understood', () => {
  const asked = [
    '0',
    '1',
    '90',
    '3600',
    '3601',
    '999999999',
    '1234567890',
    '5 ',
    '5s',
    'Wed, 21 Oct 2026 07:28:00 GMT',
    '',
  ];
  expect(asked.map((header) => findRetrySeconds(header))).toEqual([
    1,
    1,
    90,
    3600,
    3600,
    3600,
    null,
    null,
    null,
    null,
    null,
  ]);
  expect([findRetrySeconds(undefined), findRetrySeconds(['5', '6'])]).toEqual([null, null]);
});

test('a tag is listed alone, among others, weak or strong, with spaces around it', () => {
  const headers = ['"a"', ' "a" ', '"b", "a"', '"b",W/"a"', '*', ' * ', 'W/"a"', '"b"', '', 'a', '"a', '"b" "a"'];
  expect(headers.filter((header) => isTagListed('"a"', header))).toEqual(headers.slice(0, 7));
  expect([isTagListed('W/"a"', '"a"'), isTagListed(' "a"', '"a"'), isTagListed('"a"')]).toEqual([true, true, false]);
});

test('a call that has ended is not ended again with the others', async () => {
  const calls = new CallsUnderWay();
  const waits = Promise.withResolvers<string>();
  const held = calls.race(waits.promise);
  expect(await calls.race('at once')).toBe('at once');
  calls.endAll(new Error('paused'));
  await expect(held).rejects.toThrow('paused');
});
