// The fetch of the issuer's keys: requests share it, it ends with the server, and it believes only a whole, bounded answer.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { close, freePort, listen } from '#kernel/http/listening.ts';
import { createLog, type Log } from '#kernel/process/log.ts';
import { dayMs } from '#kernel/time/time.ts';
import { createIssuerKeys } from '#mcp/oauth/issuer-keys.ts';
import { collectLog } from '../support/log-lines.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { newKey } from '../support/stub-issuer.ts';

/** An issuer that never answers. */
async function startSilentIssuer() {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.once('close', () => left.resolve());
    asked.resolve();
  });
  const issuer = `http://${await listen(server)}`;
  return {
    issuer,
    asked: asked.promise,
    left: left.promise,
    count: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await close(server);
    },
  };
}

function keysOf(issuer: string, stop: AbortSignal, log: Log = createLog('test', 'silent'), clock = new ManualClock()) {
  const settings = {
    issuer,
    compatibility: 'strict',
    resource: `${issuer}/mcp`,
    readScope: 'r',
    writeScope: 'w',
  } as const;
  return createIssuerKeys(settings, clock, log, stop);
}

test('a request that leaves waits no longer; the fetch goes on for the others', async () => {
  await using silent = await startSilentIssuer();
  const stop = new AbortController();
  const leaving = new AbortController();
  const keys = keysOf(silent.issuer, stop.signal);
  const [first, second] = [keys.key('k', leaving.signal), keys.key('k', new AbortController().signal)];
  const outcome = Promise.race([second.then(String, String), silent.left.then(() => 'the fetch was ended')]);
  await silent.asked;
  leaving.abort(new Error('the client went away'));
  await expect(first).rejects.toThrow('the client went away');
  expect(await Promise.race([outcome, new Promise((resolve) => setImmediate(resolve, 'goes on'))])).toBe('goes on');
  expect(silent.count()).toBe(1);
  stop.abort(new Error('the server stops'));
  await silent.left;
  await expect(second).rejects.toThrow();
});

describe('what an issuer answers', () => {
  const appended = '/realm/.well-known/openid-configuration';
  const inserted = '/.well-known/oauth-authorization-server/realm';
  type Answer = (response: ServerResponse) => void;

  const end =
    (document: unknown, status = 200, bytes = 0): Answer =>
    (response) =>
      void response.writeHead(status).end(JSON.stringify(document).padEnd(bytes));
  const redirect: Answer = (response) => void response.writeHead(302, { location: '/elsewhere' }).end();
  /** So many bytes at once, and never an end. */
  const endless =
    (status: number, bytes: number): Answer =>
    (response) =>
      void response.writeHead(status).write(Buffer.alloc(bytes, ' '));

  /** An issuer with one key, whose answers by path `given` replaces. */
  async function startIssuer(given: (good: Readonly<Record<string, unknown>>) => Record<string, Answer>) {
    const { kid, jwk } = await newKey();
    const asked: string[] = [];
    const left: Promise<unknown>[] = [];
    let answers: Record<string, Answer> = {};
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      left.push(once(response, 'close'));
      (answers[path] ?? end({}, 404))(response);
    });
    const origin = `http://${await listen(server)}`;
    const issuer = `${origin}/realm`;
    const metadata = { issuer, jwks_uri: `${origin}/jwks`, code_challenge_methods_supported: ['S256'] };
    const keys = { keys: [jwk] };
    answers = { [appended]: end(metadata), '/jwks': end(keys), ...given({ metadata, keys }) };
    const { log, lines } = collectLog('warn');
    const { signal } = new AbortController();
    const clock = new ManualClock();
    const source = keysOf(issuer, signal, log, clock);
    return {
      clock,
      asked,
      /** Its answers from now on. */
      answer(next: Record<string, Answer>) {
        answers = { ...answers, ...next };
      },
      metadata,
      keys,
      lines,
      /** Resolves when every answer is over, or its connection closed. */
      left: () => Promise.all(left),
      key: () => source.key(kid, signal),
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await close(server);
      },
    };
  }

  const most = limits.mcpIssuerAnswerBytes;

  test('is asked for again after the clock was set back, be it from a failure or from keys that are old', async () => {
    await using issuer = await startIssuer(() => ({ '/jwks': end({}, 500) }));
    await expect(issuer.key()).rejects.toThrow();
    issuer.clock.jump(issuer.clock.now() - dayMs);
    issuer.answer({ '/jwks': end(issuer.keys) });
    await expect(issuer.key()).resolves.toBeDefined();
    issuer.clock.jump(issuer.clock.now() - dayMs);
    issuer.answer({ '/jwks': end({ keys: [] }) });
    await expect(issuer.key()).rejects.toThrow();
  });

  test.each<[string, Parameters<typeof startIssuer>[0], string[]]>([
    ['as it should', () => ({}), [appended, '/jwks']],
    [
      'at the second address, with 404 at the first',
      ({ metadata }) => ({ [appended]: end({}, 404), [inserted]: end(metadata) }),
      [appended, inserted, '/jwks'],
    ],
    [
      'with the most bytes there may be',
      ({ metadata, keys }) => ({ [appended]: end(metadata, 200, most), '/jwks': end(keys, 200, most) }),
      [appended, '/jwks'],
    ],
  ])('is believed: %s', async (_, given, asked) => {
    await using issuer = await startIssuer(given);
    await expect(issuer.key()).resolves.toBeDefined();
    expect(issuer.asked).toEqual(asked);
    expect(issuer.lines).toEqual([]);
  });

  test.each<[string, string, Parameters<typeof startIssuer>[0], string[]]>([
    // The second address would answer: another failure than 404 does not lead there.
    [
      'a failure with the right document',
      'answered 500',
      ({ metadata }) => ({ [appended]: end(metadata, 500), [inserted]: end(metadata) }),
      [appended],
    ],
    ['a failure with the right keys', 'answered 503', ({ keys }) => ({ '/jwks': end(keys, 503) }), [appended, '/jwks']],
    ['404 at both addresses', 'answered 404', () => ({ [appended]: end({}, 404) }), [appended, inserted]],
    [
      'one byte too many',
      'answered with more than 1 MB',
      ({ metadata }) => ({ [appended]: end(metadata, 200, most + 1) }),
      [appended],
    ],
    [
      'an answer without an end',
      'answered with more than 1 MB',
      () => ({ '/jwks': endless(200, most + 1) }),
      [appended, '/jwks'],
    ],
    ['a failure without an end', 'answered 500', () => ({ '/jwks': endless(500, 1) }), [appended, '/jwks']],
    [
      'a redirect',
      'could not be reached, or redirects',
      ({ metadata }) => ({ [appended]: redirect, '/elsewhere': end(metadata) }),
      [appended],
    ],
    [
      'no JSON',
      'answered with something that is not JSON',
      () => ({ [appended]: (response) => void response.end('It works') }),
      [appended],
    ],
  ])('is not believed: %s', async (_, says, given, asked) => {
    await using issuer = await startIssuer(given);
    await expect(issuer.key()).rejects.toThrow(new Error(says));
    expect(issuer.asked).toEqual(asked);
    expect(issuer.lines.map(({ msg }) => msg)).toEqual([`the issuer ${says}: tokens cannot be checked`]);
    await issuer.left();
  });

  test('nothing, because nobody listens: the log says so, and the error why', async () => {
    const { log, lines } = collectLog('warn');
    const { signal } = new AbortController();
    const asked = keysOf(`http://127.0.0.1:${await freePort()}`, signal, log).key('k', signal);
    await expect(asked).rejects.toMatchObject({
      message: 'could not be reached, or redirects',
      cause: expect.objectContaining({ cause: expect.objectContaining({ code: 'ECONNREFUSED' }) }),
    });
    expect(lines.map(({ msg }) => msg)).toEqual([
      'the issuer could not be reached, or redirects: tokens cannot be checked',
    ]);
  });
});
