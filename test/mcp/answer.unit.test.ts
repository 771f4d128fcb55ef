// Answers on the wire: what is whole has its length, what is a stream comes as it is made, and what was cut off ends.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { close, listen } from '#kernel/http/listening.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { sendResponse } from '#mcp/http/answer.ts';
import { type Exchange, openExchange } from '#mcp/http/exchange.ts';
import { ManualClock } from '../support/manual-clock.ts';

const deadlineMs = 30_000;

/** A server that answers one POST with `response`, and the client of it; `sent` settles with `sendResponse`. */
async function startAnswer(response: Response) {
  const clock = new ManualClock();
  const begun = Promise.withResolvers<{ exchange: Exchange; raw: ServerResponse; sent: Promise<void> }>();
  const server = createServer((incoming, raw) => {
    const exchange = openExchange({ requestId: 'r-1', address: '127.0.0.1', incoming, clock, deadlineMs });
    begun.resolve({ exchange, raw, sent: sendResponse(raw, response, exchange) });
  });
  const asked = request(`http://${await listen(server)}`, { method: 'POST', agent: false });
  const answered = once(
    asked.on('error', () => undefined),
    'response',
  ) as Promise<[IncomingMessage]>;
  asked.end();
  const { exchange, raw, sent } = await begun.promise;
  return {
    ...{ exchange, raw, sent, clock },
    answer: async () => (await answered)[0],
    async [Symbol.asyncDispose]() {
      exchange[Symbol.dispose]();
      asked.destroy();
      server.closeAllConnections();
      await close(server);
    },
  };
}

const streaming = { 'content-type': 'text/event-stream; charset=utf-8', connection: 'keep-alive', 'x-own': 'kept' };
const ours = { 'x-request-id': 'r-1', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming) {
    text += String(chunk);
  }
  return text;
}

test('what is no stream is one piece with its length', async () => {
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked', 'x-own': 'kept' };
  await using scene = await startAnswer(new Response('{"a":"ä"}', { status: 201, headers }));
  const answer = await scene.answer();
  expect(answer.statusCode).toBe(201);
  expect(answer.headers).toMatchObject({ ...ours, 'x-own': 'kept', 'content-length': '10' });
  expect(answer.headers).not.toHaveProperty('x-accel-buffering');
  expect(answer.headers).not.toHaveProperty('transfer-encoding');
  expect(await textOf(answer)).toBe('{"a":"ä"}');
});

test('a stream is answered before its first event, unbuffered, and each event as it comes', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const events = writable.getWriter();
  await using scene = await startAnswer(new Response(readable, { headers: streaming }));
  const answer = await scene.answer();
  expect(answer.headers).toMatchObject({ ...ours, 'x-own': 'kept', 'x-accel-buffering': 'no' });
  expect(answer.headers).not.toHaveProperty('content-length');
  for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
    void events.write(Buffer.from(text));
    expect(String((await once(answer, 'data'))[0])).toBe(text);
  }
  void events.close();
  await once(answer, 'end');
  await scene.sent;
});

test('a stream that says nothing ends at the deadline, and whoever makes it is told why', async () => {
  const ended = Promise.withResolvers<unknown>();
  const quiet = new ReadableStream({ cancel: ended.resolve });
  await using scene = await startAnswer(new Response(quiet, { headers: streaming }));
  const answer = await scene.answer();
  await scene.clock.advance(deadlineMs);
  await scene.sent;
  expect(await ended.promise).toEqual(new Error('the deadline of the exchange passed'));
  expect(await textOf(answer)).toBe('');
});

test('a stream that its client does not read waits for it, and is cut off at the deadline', async () => {
  const most = 100;
  let made = 0;
  const ended = Promise.withResolvers<unknown>();
  const flood = new ReadableStream({
    pull(controller) {
      made += 1;
      if (made <= most) {
        controller.enqueue(Buffer.alloc(1_048_576, ' '));
      }
    },
    cancel: ended.resolve,
  });
  await using scene = await startAnswer(new Response(flood, { headers: streaming }));
  await scene.answer();
  for (let before = -1; before < made && made <= most; await yieldToEventLoop()) {
    before = scene.raw.writableNeedDrain ? made : -1;
  }
  expect(made).toBeLessThan(most);
  await scene.clock.advance(deadlineMs);
  await scene.sent;
  expect(scene.raw.destroyed).toBe(true);
  expect(await ended.promise).toEqual(new Error('the deadline of the exchange passed'));
});

test('an answer that comes after another one is thrown away', async () => {
  const ended = Promise.withResolvers<void>();
  const quiet = new ReadableStream({ cancel: () => ended.resolve() });
  await using scene = await startAnswer(new Response('{}'));
  await scene.sent;
  await sendResponse(scene.raw, new Response(quiet, { headers: streaming }), scene.exchange);
  await ended.promise;
  expect(await textOf(await scene.answer())).toBe('{}');
});
