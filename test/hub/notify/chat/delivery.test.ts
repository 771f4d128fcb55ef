// The delivery of alerts in exact time: pace, retries by kind of failure, changed settings, an old age and an end.
import { expect, test } from 'vitest';
import { type ChatAnswer, type ChatBench, startChatBench } from '../../../support/chat-bench.ts';

const minuteMs = 60_000;

/** When each message was posted, milliseconds after `from`. */
const postsOf = ({ calls }: ChatBench, from: number) =>
  calls.filter(({ method }) => method === 'chat.postMessage').map(({ at }) => at - from);

test('one message a second and five in a minute, then what waited as one', async () => {
  await using bench = await startChatBench();
  const from = bench.clock.now();
  await bench.put('a');
  await using delivery = bench.start();
  await delivery.settled();
  bench.clock.skip(300);
  for (const key of ['b', 'c', 'd', 'e']) {
    await bench.put(key);
  }
  delivery.wake();
  await delivery.settled();
  expect(postsOf(bench, from)).toEqual([0, 1000, 2000, 3000, 4000]);
  for (const key of ['f', 'g']) {
    await bench.put(key);
    delivery.wake();
    await delivery.settled();
  }
  expect(bench.clock.sleeping).toBe(1);
  await bench.clock.advance(minuteMs - 4001);
  await delivery.settled();
  expect(postsOf(bench, from)).toHaveLength(5);
  await bench.clock.advance(1);
  await delivery.settled();
  expect(postsOf(bench, from).slice(5)).toEqual([minuteMs]);
  expect(bench.delivered).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
});

const doubling = [5, 10, 20, 40, 80, 160, 320, 600, 600].map((seconds) => seconds * 1000);

test.each<[string, ChatAnswer, number[]]>([
  ['unreachable', { status: 500, text: '' }, doubling],
  ['refused', 'fatal_error', doubling],
  ['settings', 'is_archived', [600_000, 600_000]],
  ['limited', { status: 429, headers: { 'retry-after': '7' } }, [7000, 7000]],
  ['limited for an hour', { status: 429, headers: { 'retry-after': '3600' } }, [3_600_000, 3_600_000]],
])('a message that fails as %s is tried again in its time', async (_kind, answer, waits) => {
  await using bench = await startChatBench();
  await bench.put('a');
  bench.answer = () => answer;
  await using delivery = bench.start();
  for (const [index, wait] of waits.entries()) {
    await delivery.settled();
    const [message] = bench.messages();
    expect(message).toMatchObject({ state: 'open', attempts: index + 1, nextAt: bench.clock.now() + wait });
    await bench.clock.advance(wait - 1);
    await delivery.settled();
    expect(bench.calls).toHaveLength(index + 1);
    await bench.clock.advance(1);
  }
  bench.answer = () => ({});
  await delivery.settled();
  await bench.clock.advance(3_600_000);
  await delivery.settled();
  expect(bench.messages()).toMatchObject([{ state: 'sent', attempts: waits.length + 1 }]);
  expect(bench.delivered).toEqual(['a']);
  expect(bench.lines).toHaveLength(waits.length + 1);
});

test('a message that will never be taken is given up, and the next one follows', async () => {
  await using bench = await startChatBench();
  bench.answer = ({ form }) => (form.text?.includes('*a*') ? 'msg_too_long' : {});
  await bench.put('a');
  await bench.put('b');
  await using delivery = bench.start();
  await delivery.settled();
  expect(bench.messages()).toMatchObject([{ state: 'given_up', error: 'msg_too_long' }, { state: 'sent' }]);
  expect(bench.delivered).toEqual(['b']);
});

test('a retry that is further away than any wait is of a clock that was set back: the message is tried at once', async () => {
  await using bench = await startChatBench();
  await bench.put('a');
  bench.answer = () => ({ status: 429, headers: { 'retry-after': '3600' } });
  await using delivery = bench.start();
  await delivery.settled();
  for (const [ms, calls] of [
    [0, 1],
    [1, 2],
  ] as const) {
    bench.clock.jump(bench.clock.now() - ms);
    delivery.wake();
    await delivery.settled();
    expect(bench.calls).toHaveLength(calls);
  }
});

test('the channel of a member is asked for once, and again after other settings or a refusal of them', async () => {
  await using bench = await startChatBench();
  const opened = () =>
    bench.calls
      .filter(({ method }) => method === 'conversations.open')
      .map(({ token, form }) => `${token} ${form.users}`);
  bench.answer = () => ({ channel: { id: 'D1' } });
  bench.set({ userId: 'U1' });
  await using delivery = bench.start();
  const tell = async (key: string) => {
    await bench.clock.advance(minuteMs);
    await bench.put(key);
    delivery.wake();
    await delivery.settled();
  };
  await tell('a');
  await tell('b');
  expect(opened()).toEqual(['Bearer t1 U1']);
  bench.set({ userId: 'U2' });
  await tell('c');
  bench.set({ token: 't2' });
  await tell('d');
  expect(opened().slice(1)).toEqual(['Bearer t1 U2', 'Bearer t2 U2']);
  bench.answer = ({ method }) => (method === 'chat.postMessage' ? 'channel_not_found' : { channel: { id: 'D1' } });
  await tell('e');
  await bench.clock.advance(10 * minuteMs);
  await delivery.settled();
  expect(opened().slice(3)).toEqual(['Bearer t2 U2']);
  bench.answer = () => ({ status: 500, text: '' });
  await bench.clock.advance(10 * minuteMs);
  await delivery.settled();
  await bench.clock.advance(10 * minuteMs);
  await delivery.settled();
  expect(opened().slice(4).length).toBeGreaterThan(0);
});

test('nothing is sent while there is no recipient; what waits then is withdrawn, and what waits else is tried at once', async () => {
  await using bench = await startChatBench();
  await using delivery = bench.start();
  const waiting = async (key: string) => {
    await bench.put(key);
    delivery.wake();
    await delivery.settled();
  };
  for (const off of [{ enabled: false }, { token: '' }, { userId: '' }]) {
    bench.set(off);
    await waiting(Object.keys(off).join());
    expect([bench.calls, bench.outbox.state().waiting]).toEqual([[], 1]);
    await delivery.reconsider();
    expect(bench.outbox.state().waiting).toBe(0);
    bench.set({ enabled: true, token: 't1', userId: 'C1' });
    await delivery.reconsider();
    await delivery.settled();
  }
  bench.answer = () => ({ status: 500, text: '' });
  await waiting('a');
  await waiting('b');
  expect(bench.calls).toHaveLength(1);
  bench.answer = () => ({});
  await delivery.reconsider();
  await delivery.settled();
  expect(bench.delivered).toEqual(['a', 'b']);
});

test('what a busy database refuses of new settings is done with the next step, also when they changed back', async () => {
  await using bench = await startChatBench();
  bench.answer = () => ({ status: 500, text: '' });
  await using delivery = bench.start();
  await bench.put('a');
  delivery.wake();
  await delivery.settled();
  const refuse = (sql: string) => bench.db.write((writer) => void writer.prepare(sql).run());
  await refuse(`CREATE TRIGGER refuse BEFORE UPDATE ON outbox_message BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  bench.set({ enabled: false });
  await delivery.reconsider();
  bench.set({ enabled: true });
  await delivery.reconsider();
  await delivery.settled();
  expect(bench.messages()).toMatchObject([{ state: 'open' }]);
  expect(
    bench.lines.filter(({ msg }) => msg.startsWith('messages to the chat workspace that wait follow')),
  ).toHaveLength(2);
  expect(bench.lines.at(-1)?.msg).toMatch(/could not be delivered; trying again in a minute$/);
  await refuse('DROP TRIGGER refuse');
  bench.answer = () => ({});
  await bench.clock.advance(minuteMs - 1);
  await delivery.settled();
  expect(bench.messages()).toMatchObject([{ state: 'open' }]);
  await bench.clock.advance(1);
  await delivery.settled();
  expect([bench.messages(), bench.delivered]).toMatchObject([[{ state: 'given_up' }], []]);
});

test('an alert is tried for seven days', async () => {
  await using bench = await startChatBench();
  bench.answer = () => ({ status: 500, text: '' });
  await using delivery = bench.start();
  await bench.put('a');
  delivery.wake();
  await delivery.settled();
  const week = 7 * 86_400_000;
  bench.clock.skip(week);
  for (const state of ['open', 'given_up']) {
    delivery.wake();
    await delivery.settled();
    expect(bench.messages()).toMatchObject([{ state }]);
    bench.clock.skip(1);
  }
});

test.each<[ChatAnswer, 'sent' | 'open' | 'given_up']>([
  ['is_archived', 'sent'],
  ['fatal_error', 'sent'],
  [{ status: 500, text: '' }, 'sent'],
  ['ratelimited', 'open'],
  ['no_text', 'given_up'],
])('a refusal %j of settings that changed meanwhile says nothing of the new ones: %s', async (answer, state) => {
  await using bench = await startChatBench();
  await bench.put('a');
  bench.answer = () => {
    if (bench.calls.length > 1) {
      return {};
    }
    bench.set({ displayName: 'another' });
    return answer;
  };
  await using delivery = bench.start();
  await delivery.settled();
  expect(bench.messages()).toMatchObject([{ state, attempts: 1 }]);
});

test('a message goes to whom the settings name when it is posted', async () => {
  await using bench = await startChatBench();
  await bench.put('a');
  bench.set({ userId: 'U1' });
  bench.answer = () => {
    bench.set({ userId: 'C2' });
    return { channel: { id: 'D1' } };
  };
  await using delivery = bench.start();
  await delivery.settled();
  expect(bench.calls.map(({ method, form }) => [method, form.channel])).toEqual([
    ['conversations.open', undefined],
    ['chat.postMessage', 'C2'],
  ]);
});

test('a message that was taken and cannot be recorded so is sent again under its id', async () => {
  await using bench = await startChatBench();
  const run = (sql: string) => bench.db.write((writer) => void writer.prepare(sql).run());
  await run(`CREATE TRIGGER refuse BEFORE UPDATE ON outbox_message BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  await bench.put('a');
  await using delivery = bench.start();
  await delivery.settled();
  expect(bench.lines.map(({ msg }) => msg)).toEqual([
    'messages to the chat workspace could not be delivered; trying again in a minute',
  ]);
  expect([bench.delivered, bench.messages()]).toMatchObject([[], [{ state: 'open', attempts: 0 }]]);
  await run('DROP TRIGGER refuse');
  await bench.clock.advance(minuteMs);
  await delivery.settled();
  expect([bench.delivered, bench.messages()]).toMatchObject([['a'], [{ state: 'sent', attempts: 0 }]]);
  expect(new Set(bench.calls.map(({ form }) => form.client_msg_id)).size).toBe(1);
});

test('an end stops the call under way, and says nothing of it', async () => {
  await using bench = await startChatBench();
  await bench.put('a');
  bench.answer = () => null;
  const delivery = bench.start();
  const settled = delivery.settled();
  while (bench.calls.length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await delivery[Symbol.asyncDispose]();
  await settled;
  expect([bench.lines, bench.messages()]).toMatchObject([[], [{ state: 'open', attempts: 0 }]]);
  expect(bench.clock.sleeping).toBe(0);
});
