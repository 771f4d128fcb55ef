// Collectors against an endpoint that answers as the test says: the way for clients to it, and its limits.
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startForwarder } from '#gate/collect/forwarder.ts';
import { reverseProxyLimits } from '#gate/collect/reverse-proxy-limits.ts';
import { eventually } from '../support/eventually.ts';
import { type Answered, type Asked, type ProbeLab, startProbeLab } from '../support/probe-lab.ts';

let lab: ProbeLab;
beforeAll(async () => {
  lab = await startProbeLab();
});
afterAll(() => lab[Symbol.asyncDispose]());

describe('the way for clients', () => {
  const post = (url: URL, body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body, headers: { origin: 'http://127.0.0.1:6274', ...headers } });

  test('adds the token, keeps the canonical name, and notes what era is spoken', async () => {
    lab.answers(() => ({ status: 202, headers: { 'x-from': 'endpoint' }, body: { well: true } }));
    const context = lab.collecting();
    await using forwarder = await startForwarder('the-token', context);
    expect(forwarder.url.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const answer = await post(forwarder.url, '{ "method" : "initialize" }', { authorization: 'Bearer other' });
    expect([answer.status, answer.headers.get('x-from'), await answer.json()]).toEqual([
      202,
      'endpoint',
      { well: true },
    ]);
    const [asked] = lab.asked;
    expect(asked).toMatchObject({
      path: '/mcp',
      headers: { host: context.config.MCP_GATE_ENDPOINT.url.host, authorization: 'Bearer the-token' },
    });
    expect(asked?.headers).not.toHaveProperty('origin');
    expect(forwarder.seen).toEqual({ versions: new Set(), methods: new Set(['initialize']) });
    await post(forwarder.url, '{"method":"tools/list"}', { 'mcp-protocol-version': '2025-11-25' });
    await post(forwarder.url, 'no message', { 'mcp-protocol-version': '2026-07-28' });
    expect(forwarder.seen).toEqual({
      versions: new Set(['2025-11-25', '2026-07-28']),
      methods: new Set(['initialize', 'tools/list']),
    });
  });

  test('ends a request that the endpoint does not answer', async () => {
    await using forwarder = await startForwarder('the-token', lab.collecting());
    lab.answersAtOnce(() => 'close');
    await expect(post(forwarder.url, '{}')).rejects.toThrow('fetch failed');
  });

  test('is there for as long as its scope', async () => {
    lab.answers(() => ({ status: 202 }));
    const forwarder = await startForwarder('the-token', lab.collecting());
    expect((await post(forwarder.url, '{}')).status).toBe(202);
    await forwarder[Symbol.asyncDispose]();
    await expect(post(forwarder.url, '{}')).rejects.toThrow('fetch failed');
  });
});

describe('the limits of the proxy', () => {
  const isUnfinished = ({ headers }: Asked) => headers['content-length'] === '1000';
  const isOf = (name: string, { headers }: Asked) =>
    new RegExp(`^gate-${name}-[0-9a-f]{8}-`).test(String(headers['x-request-id']));
  const tokenOf = (sub: string) => new UnsecuredJWT({ sub }).encode();
  const stopped = { status: 429, headers: { 'retry-after': '60' } };

  /** What the collector objects to, but for the limits of people and clients. */
  const answering = (changes: Readonly<Record<string, Answered>> = {}) => {
    const right: Readonly<Record<string, Answered>> = { large: { status: 413 }, burst: stopped, spoofed: stopped };
    lab.answers((_at, asked) => {
      const [name] = Object.keys(right).filter((one) => isOf(one, asked));
      return (name === undefined ? undefined : (changes[name] ?? right[name])) ?? { status: 401 };
    });
  };
  const collect = async () => {
    const { objections: all } = await reverseProxyLimits.run(
      lab.collecting({
        MCP_GATE_RATE_PROBE_REQUESTS: '3',
        MCP_GATE_READ_TOKEN: tokenOf('ada'),
        MCP_GATE_WRITE_TOKEN: tokenOf('bob'),
      }),
    );
    return all.filter((one) => !one.startsWith('requests up to'));
  };

  test.each<[string, readonly (Answered | 'close')[], string[]]>([
    ['that are ended', [{ status: 408 }, { status: 504 }, 'close'], []],
    [
      'of which the last is answered',
      [{ status: 408 }, { status: 408 }, { status: 400 }],
      ['requests that never end: one is answered with 400'],
    ],
  ])('requests that never end %s', async (_how, endings, expected) => {
    answering();
    const left = [...endings];
    lab.answersAtOnce((asked) => (isUnfinished(asked) ? left.shift() : undefined));
    expect(await collect()).toEqual(expected);
    expect(lab.clock.sleeping).toBe(0);
  });

  test('a token that is no JWT is named before anything is sent', async () => {
    answering();
    const context = lab.collecting({ MCP_GATE_READ_TOKEN: tokenOf('ada'), MCP_GATE_WRITE_TOKEN: 'opaque' });
    await expect(reverseProxyLimits.run(context)).rejects.toThrow('MCP_GATE_WRITE_TOKEN is no JWT: take a token');
    expect([lab.asked, context.transcript.steps]).toEqual([[], []]);
  });

  test('requests that never end are waited for, 45 seconds and no longer', async () => {
    answering();
    const found = collect();
    await eventually(
      async () => [lab.asked.filter(isUnfinished).length, lab.clock.sleeping],
      ([asked, sleeping]) => (asked === 3 && sleeping === 3 ? true : undefined),
    );
    await lab.clock.advance(44_999);
    expect(lab.clock.sleeping).toBe(3);
    await lab.clock.advance(1);
    expect(await found).toEqual(['requests that never end: one is still open after 45 s']);
  });

  test.each<[string, Answered, string]>([
    ['large', { status: 200 }, 'a body of 320 KiB: it is answered with 200, not 413'],
    ['burst', { status: 401 }, 'a burst: it is not stopped'],
    ['burst', { status: 429 }, 'a burst: 429 comes without Retry-After'],
    ['spoofed', { status: 401 }, 'a header that names another address: it is answered with 401, not 429'],
  ])('%s answered with %o', async (name, answered, because) => {
    answering({ [name]: answered });
    lab.answersAtOnce((asked) => (isUnfinished(asked) ? { status: 408 } : undefined));
    expect(await collect()).toEqual([because]);
  });
});
