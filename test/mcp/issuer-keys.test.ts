// The fetch of the issuer's keys that requests share: it belongs to none of them, and ends with the server.
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { close, listen } from '#kernel/listening.ts';
import { createLog } from '#kernel/log.ts';
import { createIssuerKeys } from '#mcp/oauth/issuer-keys.ts';
import { ManualClock } from '../support/manual-clock.ts';

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

function keysOf(issuer: string, stop: AbortSignal) {
  const settings = {
    issuer,
    compatibility: 'strict',
    resource: `${issuer}/mcp`,
    readScope: 'r',
    writeScope: 'w',
  } as const;
  return createIssuerKeys(settings, new ManualClock(), createLog('test', 'silent'), stop);
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
