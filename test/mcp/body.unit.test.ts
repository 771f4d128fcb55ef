// Reading a body: up to its limit and to its end, whichever comes first, and nothing listens afterwards.
import { getEventListeners } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { mayExceed, readBody } from '#mcp/http/body.ts';

const limit = 10;

function opened(headers: Record<string, string> = {}) {
  const incoming = new IncomingMessage(new Socket());
  Object.assign(incoming.headers, headers);
  incoming.on('error', () => undefined);
  const cutter = new AbortController();
  const waits = yieldToEventLoop().then(() => 'waits');
  const body = readBody(incoming, limit, cutter.signal);
  return { incoming, cutter, body: Promise.race([body.then((bytes) => bytes && String(bytes)), waits]) };
}

test('a body is not waited for when the exchange was ended before', async () => {
  const incoming = new IncomingMessage(new Socket());
  await expect(readBody(incoming, limit, AbortSignal.abort(new Error('the client went away')))).rejects.toThrow(
    'the client went away',
  );
  expect(incoming.listenerCount('data')).toBe(0);
});

test.each([
  ['10', 'waits'],
  ['11', null],
  ['1000000000', null],
])('%s bytes are declared, and none has come', async (length, outcome) => {
  expect(await opened({ 'content-length': length }).body).toBe(outcome);
  expect(mayExceed(opened({ 'content-length': length }).incoming, limit)).toBe(outcome === null);
});

test('a body without a length may have any', () => {
  expect(mayExceed(opened().incoming, limit)).toBe(false);
  expect(mayExceed(opened({ 'transfer-encoding': 'chunked' }).incoming, limit)).toBe(true);
});

type Opened = ReturnType<typeof opened>;

test.each<[string, string | null, (scene: Opened) => void]>([
  ['comes whole, as large as it may be', '1234567890', ({ incoming }) => void send(incoming, '12345', '67890', null)],
  ['is empty', '', ({ incoming }) => void send(incoming, null)],
  ['is one byte too large', null, ({ incoming }) => void send(incoming, '12345', '678901')],
  ['breaks', 'Error: broken', ({ incoming }) => void incoming.destroy(new Error('broken'))],
  ['ends with its client', 'Error: the client went away', ({ incoming }) => void incoming.emit('close')],
  ['is cut off', 'Error: late', ({ cutter }) => cutter.abort(new Error('late'))],
])('a body that %s', async (_, outcome, act) => {
  const scene = opened();
  const before = ['error', 'close'].map((name) => scene.incoming.listenerCount(name));
  act(scene);
  expect(await scene.body.catch(String)).toBe(outcome);
  expect(scene.incoming.listenerCount('data') + scene.incoming.listenerCount('end')).toBe(0);
  expect(before).toEqual([2, 1]);
  expect(['error', 'close'].map((name) => scene.incoming.listenerCount(name))).toEqual([1, 0]);
  expect(getEventListeners(scene.cutter.signal, 'abort')).toEqual([]);
});

function send(incoming: IncomingMessage, ...parts: (string | null)[]): void {
  for (const part of parts) {
    incoming.push(part === null ? null : Buffer.from(part));
  }
}
