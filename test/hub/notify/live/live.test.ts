// Live updates without a server: who is refused, why a stream ends, and that nothing stays behind it.
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import type { SignedIn } from '#hub/base/auth/principal.ts';
import { createSignals } from '#hub/base/signals.ts';
import { changeBetween } from '#hub/notify/live/credential-watch.ts';
import { eventFrame } from '#hub/notify/live/frame.ts';
import { type Live, startLive } from '#hub/notify/live/live.ts';
import type { EventStream } from '#kernel/http/route.ts';
import { createLog } from '#kernel/process/log.ts';
import { createSteadyClock } from '#kernel/time/steady-clock.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const request = { headers: {} } as Parameters<Live['open']>[0];
const admin: SignedIn = { who: 'admin', permissions: new Set(['network.read']), credential: 'admin-token' };
const identity = (expiresAt: number, credential = 'identity:1'): SignedIn =>
  ({ ...admin, who: 'identity', credential, identity: { expiresAt } }) as unknown as SignedIn;
const session = (expiresAt: number): SignedIn =>
  ({ ...admin, who: 'session', credential: 'session:1', session: { expiresAt } }) as unknown as SignedIn;

function start(identify: () => SignedIn | null) {
  const clock = new ManualClock();
  const { log, lines } = collectLog('error');
  const signals = createSignals(createLog('hub', 'silent'));
  const steadyClock = createSteadyClock(clock);
  const live = startLive({ clock, steadyClock, log, signals, identify, requireOwnPage: () => undefined });
  return { clock, live, lines, signals };
}

/** All that a stream brings until it ends. */
const textOf = (stream: EventStream) => text(stream);

const goesOn = new AbortController().signal;

test('nobody, a client that has gone, and a hub that stops get no stream, and none is counted', async () => {
  const state: { holder: SignedIn | null } = { holder: null };
  const { live } = start(() => state.holder);
  expect(() => live.open(request, goesOn)).toThrow(expect.objectContaining({ code: 'unauthorized' }));
  state.holder = admin;
  const reason = new Error('the client has gone');
  expect(() => live.open(request, AbortSignal.abort(reason))).toThrow(reason);
  const own = Array.from({ length: limits.liveStreamsOfCredential }, () => textOf(live.open(request, goesOn)));
  expect(() => live.open(request, goesOn)).toThrow(expect.objectContaining({ code: 'stream_limit' }));
  await live[Symbol.asyncDispose]();
  for (const brought of await Promise.all(own)) {
    expect(brought).toContain('event: ready');
    expect(brought).toMatch(/event: closed\ndata: {"reason":"stopping"}\n\n$/);
  }
  expect(() => live.open(request, goesOn)).toThrow(expect.objectContaining({ code: 'not_ready' }));
});

test('a client that goes away frees its place', async () => {
  const { live } = start(() => admin);
  const leaving = new AbortController();
  const open = Array.from({ length: limits.liveStreamsOfCredential }, () => live.open(request, leaving.signal));
  leaving.abort();
  await expect.poll(() => open.every((stream) => (stream as { destroyed?: boolean }).destroyed)).toBe(true);
  await expect.poll(() => typeof live.open(request, goesOn)).toBe('object');
  await live[Symbol.asyncDispose]();
});

test('a stream whose credential cannot be looked at is closed, the log says so, and the others go on', async () => {
  const state = { fails: false };
  const { clock, live, lines } = start(() => {
    if (state.fails) {
      throw new Error('the database is locked');
    }
    return admin;
  });
  const failing = textOf(live.open(request, goesOn)).catch((error: unknown) => error);
  state.fails = true;
  await clock.advance(limits.liveRecheckMs);
  expect(await failing).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
  expect(lines.map(({ msg }) => msg)).toEqual(['a live stream failed and is closed: its reader connects again']);
  state.fails = false;
  const other = textOf(live.open(request, goesOn));
  await live[Symbol.asyncDispose]();
  expect(await other).toContain('stopping');
});

test('a revoked credential ends its own streams, as expired when its time is over', async () => {
  const asks: { holder: SignedIn } = { holder: admin };
  const { live, signals } = start(() => asks.holder);
  const texts = [identity(1e15), identity(0, 'identity:2'), admin].map((holder) => {
    asks.holder = holder;
    return textOf(live.open(request, goesOn));
  });
  signals.emit('credentialRevoked', 'identity:1');
  signals.emit('credentialRevoked', 'identity:2');
  expect(await texts[0]).toContain('"reason":"revoked"');
  expect(await texts[1]).toContain('"reason":"expired"');
  await live[Symbol.asyncDispose]();
  expect(await texts[2]).toContain('"reason":"stopping"');
});

test.each([
  ['the same', admin, admin, null],
  ['nobody', admin, null, 'revoked'],
  ['nobody, after its end', identity(1000), null, 'expired'],
  ['nobody, before its end', identity(1001), null, 'revoked'],
  ['a session that ended', session(1000), null, 'expired'],
  ['another credential', identity(2000), identity(2000, 'identity:2'), 'revoked'],
  ['one permission more', admin, { ...admin, permissions: new Set(['network.read', 'ai.run']) }, 'permissions_changed'],
  ['one permission less', admin, { ...admin, permissions: new Set() }, 'permissions_changed'],
  ['another permission', admin, { ...admin, permissions: new Set(['ai.run']) }, 'permissions_changed'],
] as const)('the request is now of %s', (_, before, now, reason) => {
  expect(changeBetween(before as SignedIn, now as SignedIn | null, 1000)).toBe(reason);
});

test('an event is its id and how long to wait before it, then its name and its data in one line', () => {
  const data = { text: 'a\nb' };
  const plain = 'event: status\ndata: {"text":"a\\nb"}\n\n';
  expect(eventFrame({ event: 'status', data }).toString()).toBe(plain);
  expect(eventFrame({ event: 'status', data, id: 'run.1' }).toString()).toBe(`id: run.1\n${plain}`);
  expect(eventFrame({ event: 'status', data, id: 'run.1', retryMs: 5 }).toString()).toBe(
    `retry: 5\nid: run.1\n${plain}`,
  );
});
