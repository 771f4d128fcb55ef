// An exchange ends once, for the first reason there was, and leaves nothing that waits.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { openExchange } from '#mcp/http/exchange.ts';
import { ManualClock } from '../support/manual-clock.ts';

function opened(deadlineMs = 30_000) {
  const clock = new ManualClock();
  const incoming = new IncomingMessage(new Socket());
  return { clock, exchange: openExchange({ requestId: 'r', address: '127.0.0.1', incoming, clock, deadlineMs }) };
}

test('a client that leaves after the deadline was cut off by the deadline', async () => {
  const { clock, exchange } = opened();
  await clock.advance(29_999);
  expect(exchange.cut).toBeNull();
  await clock.advance(1);
  expect(await exchange.overdue).toMatchObject({ status: 504 });
  exchange.leave();
  expect(exchange.cut).toBe('deadline');
  expect(exchange.signal.reason).toEqual(new Error('the deadline of the exchange passed'));
});

test('a deadline that passes after the client left changes nothing', async () => {
  const { clock, exchange } = opened();
  exchange.leave();
  await clock.advance(30_000);
  expect(exchange.cut).toBe('gone');
  expect(exchange.signal.reason).toEqual(new Error('the client went away'));
});

test('its end runs what waits for it, once, and what comes later at once; its deadline waits no longer', async () => {
  const { clock, exchange } = opened();
  const ended: string[] = [];
  exchange.onEnd(() => ended.push('before'));
  exchange[Symbol.dispose]();
  exchange.onEnd(() => ended.push('after'));
  expect(ended).toEqual(['before', 'after']);
  exchange[Symbol.dispose]();
  expect(ended).toEqual(['before', 'after']);
  await yieldToEventLoop();
  expect(clock.sleeping).toBe(0);
});
