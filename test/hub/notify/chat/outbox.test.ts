// The outbox against a model of it: which message is next, when, and of which alerts, whatever happened before.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAlert, formatDigest } from '#hub/notify/chat/message-text.ts';
import { pruneOutbox } from '#hub/notify/outbox-state.ts';
import { type ChatBench, startChatBench } from '../../../support/chat-bench.ts';

interface Alert {
  key: string;
  at: number;
  body?: string;
  /** Number of its message. */
  message?: number;
  withdrawnAt?: number;
}

interface Message {
  text: string;
  at: number;
  state: 'open' | 'sent' | 'given_up';
  nextAt: number;
  attempts: number;
  endedAt: number;
  failedAt: number;
}

interface Model {
  alerts: Alert[];
  messages: Message[];
}

const minuteMs = 60_000;
const isWaiting = ({ message, withdrawnAt }: Alert) => message === undefined && withdrawnAt === undefined;

/** What `next` must give, and does to the model. */
function nextOf({ alerts, messages }: Model, now: number): Message | { notBefore: number } | null {
  const open = messages.find(({ state }) => state === 'open');
  const waiting = alerts.filter(isWaiting);
  const [oldest] = waiting;
  if (open || !oldest) {
    return open ?? null;
  }
  const madeWithin = (end: number) => messages.filter(({ at }) => at > end - minuteMs && at <= end);
  const recent = madeWithin(now);
  if (recent.length >= 5) {
    return { notBefore: (recent[0]?.at ?? 0) + minuteMs };
  }
  const places = 5 - Math.max(recent.length, madeWithin(oldest.at).length);
  const isDigest = waiting.length > places && oldest.body === undefined;
  const included = isDigest ? waiting.filter(({ body }) => body === undefined) : [oldest];
  const shown = included.map(({ key, at, body }) => ({ key, at, title: key, facts: [], ...(body && { body }) }));
  const [only = { key: '', at: 0, title: '', facts: [] }] = shown;
  const text = shown.length === 1 ? formatAlert(only) : formatDigest(shown);
  const made: Message = { text, at: now, state: 'open', nextAt: now, attempts: 0, endedAt: 0, failedAt: 0 };
  for (const alert of included) {
    alert.message = messages.length;
  }
  messages.push(made);
  return made;
}

function stateOf({ alerts, messages }: Model) {
  const open = messages.findIndex(({ state }) => state === 'open');
  const last = (times: number[]) => Math.max(0, ...times) || null;
  const lastSentAt = last(messages.filter(({ state }) => state === 'sent').map(({ endedAt }) => endedAt));
  const lastFailedAt = last(messages.map(({ failedAt }) => failedAt));
  const waiting = alerts.filter((alert) => isWaiting(alert) || (open >= 0 && alert.message === open)).length;
  return { waiting, lastSentAt, lastFailedAt, lastError: (lastFailedAt ?? 0) > (lastSentAt ?? 0) ? 'why' : null };
}

type End = 'sent' | 'given up' | 'failed' | null;
type Step = (bench: ChatBench, model: Model) => Promise<void>;

const put = (count: number, body?: string): Step =>
  async function putSome(bench, { alerts }) {
    for (let n = 0; n < count; n += 1) {
      const key = `k${alerts.length}`;
      await bench.put(key, body);
      alerts.push({ key, at: bench.clock.now(), ...(body && { body }) });
      await bench.put(key, 'a second one of this key');
    }
  };

const next = (end: End): Step =>
  async function takeNext({ outbox, clock }, model) {
    const now = clock.now();
    const expected = nextOf(model, now);
    const found = await outbox.next(now);
    if (expected === null || 'notBefore' in expected) {
      expect(found).toEqual(expected);
      return;
    }
    const { text, at, nextAt, attempts } = expected;
    expect(found).toEqual({
      ...{ id: expect.any(Number), clientId: expect.stringMatching(/^[\da-f-]{36}$/) },
      ...{ text, createdAt: at, nextAt, attempts },
    });
    if (found === null || 'notBefore' in found || end === null) {
      return;
    }
    if (end === 'sent') {
      const index = model.messages.indexOf(expected);
      const keys = model.alerts.filter(({ message }) => message === index).map(({ key }) => key);
      expect((await outbox.sent(found, now)).toSorted()).toEqual(keys.toSorted());
      Object.assign(expected, { state: 'sent', endedAt: now });
      return;
    }
    await outbox.failed(found, 'why', now, end === 'failed' ? now + 7 : null);
    Object.assign(expected, { attempts: attempts + 1, failedAt: now, nextAt: end === 'failed' ? now + 7 : now });
    Object.assign(expected, end === 'failed' ? {} : { state: 'given_up', endedAt: now });
  };

const pass = (ms: number): Step =>
  async function letPass({ clock }) {
    clock.skip(ms);
  };

const withdraw = (ageMs: number): Step =>
  async function withdrawOld({ outbox, clock }, { alerts, messages }) {
    const now = clock.now();
    await outbox.withdraw(now - ageMs, now);
    for (const message of messages.filter(({ state, at }) => state === 'open' && at < now - ageMs)) {
      Object.assign(message, { state: 'given_up', endedAt: now });
    }
    for (const alert of alerts.filter((one) => isWaiting(one) && one.at < now - ageMs)) {
      alert.withdrawnAt = now;
    }
  };

const retry: Step = async ({ outbox, clock }, { messages }) => {
  await outbox.retryNow(clock.now());
  for (const message of messages.filter(({ state }) => state === 'open')) {
    message.nextAt = clock.now();
  }
};

const step = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(1, 1, 2, 3, 4, 6).map((count) => put(count)) },
  fc.constant(put(1, 'several\nlines')),
  { weight: 4, arbitrary: fc.constantFrom<End[]>('sent', 'sent', 'sent', 'given up', 'failed', null).map(next) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, 20_000, minuteMs - 1, minuteMs).map(pass) },
  fc.constantFrom(-1, 0, 1, minuteMs).map(withdraw),
  fc.constant(retry),
);

test('the next message is that of the model after any steps, and so is the state', async () => {
  const isSame = fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
    await using bench = await startChatBench();
    const model: Model = { alerts: [], messages: [] };
    for (const one of steps) {
      await one(bench, model);
      expect(bench.outbox.state()).toEqual(stateOf(model));
    }
  });
  await fc.assert(isSame, { numRuns: 60 });
});

test('what ended before a time is forgotten, and what waits or ended later stays', async () => {
  await using bench = await startChatBench();
  const { clock, outbox, db } = bench;
  const rows = () =>
    db.prepare('SELECT (SELECT count(*) FROM outbox_event), (SELECT count(*) FROM outbox_message)').raw().get();
  const send = async (key: string, isSent = true) => {
    await bench.put(key);
    const message = await outbox.next(clock.now());
    if (isSent && message !== null && 'text' in message) {
      await outbox.sent(message, clock.now());
    }
  };
  await send('sent');
  await bench.put('withdrawn');
  await outbox.withdraw(clock.now() + 1, clock.now());
  await send('open', false);
  await bench.put('waiting');
  await pruneOutbox(db, clock.now(), ['chat']);
  expect(rows()).toEqual([4, 2]);
  await pruneOutbox(db, clock.now() + 1, ['chat']);
  expect(rows()).toEqual([2, 1]);
  await pruneOutbox(db, 0, []);
  expect(rows()).toEqual([0, 0]);
});
