// The client of the chat workspace: what each call sends, whom it finds, and what becomes of every answer.
import { expect, test } from 'vitest';
import { ChatFailure } from '#hub/notify/chat/chat-failure.ts';
import { type ChatAnswer, startChatBench } from '../../../support/chat-bench.ts';

const message = { channel: 'C1', text: 'a *text*', clientId: 'id-1' };

test.each<[string, ChatAnswer, string, string, RegExp, number]>([
  ['a code with advice', 'invalid_auth', 'settings', 'invalid_auth', /^invalid_auth: .* make a new token/, 0],
  ['a code without', 'fatal_error', 'refused', 'fatal_error', /^the workspace refused: fatal_error$/, 0],
  ['a hopeless message', 'no_text', 'event', 'no_text', /^the workspace refused the message: no_text$/, 0],
  ['a code of 64', `a${'_'.repeat(63)}`, 'refused', `a${'_'.repeat(63)}`, /refused: a_/, 0],
  ['a code of 65', `a${'_'.repeat(64)}`, 'unreachable', 'unexpected_answer', /not the workspace/, 0],
  ['a sentence', 'no such thing', 'unreachable', 'unexpected_answer', /not the workspace/, 0],
  ['a digit first', '1a', 'unreachable', 'unexpected_answer', /not the workspace/, 0],
  ['a limit by code', 'ratelimited', 'limited', 'rate_limited', /asks to wait$/, 30_000],
  ['the same, spelled', 'rate_limited', 'limited', 'rate_limited', /asks to wait$/, 30_000],
  ['a limit', { status: 429, headers: { 'retry-after': '7' } }, 'limited', 'rate_limited', /wait 7 s$/, 7000],
  ['one of no second', { status: 429, headers: { 'retry-after': '0' } }, 'limited', 'rate_limited', /wait 1 s$/, 1000],
  ['one of a day', { status: 429, headers: { 'retry-after': '86400' } }, 'limited', 'rate_limited', /3600/, 3_600_000],
  ['an unreadable one', { status: 429, headers: { 'retry-after': '7 s' } }, 'limited', 'rate_limited', /30 s$/, 30_000],
  ['one without time', { status: 429 }, 'limited', 'rate_limited', /wait 30 s$/, 30_000],
  ['a status', { status: 503, text: '' }, 'unreachable', 'http_503', /^the workspace answered 503$/, 0],
  ['a page', { status: 200, text: '<p>' }, 'unreachable', 'unexpected_answer', /not the workspace/, 0],
  ['too much', { status: 200, text: 'x'.repeat(1_048_577) }, 'unreachable', 'unreachable', /check the network/, 0],
])('%s is a failure of its kind', async (_name, answer, kind, code, says, retryAfterMs) => {
  await using bench = await startChatBench();
  bench.answer = () => answer;
  const failure = await bench.workspace.post('t1', message).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ChatFailure);
  expect(failure).toMatchObject({
    name: 'ChatFailure',
    kind,
    code,
    message: expect.stringMatching(says),
    retryAfterMs,
  });
  expect(bench.calls).toHaveLength(1);
});

test('a call without an answer ends after ten seconds, or with its signal', async () => {
  await using bench = await startChatBench();
  const come = async (calls: number) => {
    while (bench.calls.length < calls) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  bench.answer = () => null;
  const late = bench.workspace.post('t1', message).catch((error: ChatFailure) => error.code);
  await come(1);
  await bench.clock.advance(10_000);
  expect(await late).toBe('unreachable');
  const stop = new AbortController();
  const stopped = bench.workspace.post('t1', message, stop.signal).catch((error: ChatFailure) => error.code);
  await come(2);
  stop.abort();
  expect(await stopped).toBe('unreachable');
});

test('a message is sent once, as a section without previews, under its id and token', async () => {
  await using bench = await startChatBench();
  await bench.workspace.post('t1', message);
  const [{ method, token, form } = { method: '', token: '', form: {} as Record<string, string> }] = bench.calls;
  const { blocks, ...rest } = form;
  expect([method, token, rest]).toEqual([
    'chat.postMessage',
    'Bearer t1',
    { channel: 'C1', text: 'a *text*', client_msg_id: 'id-1', unfurl_links: 'false', unfurl_media: 'false' },
  ]);
  const text = { type: 'mrkdwn', text: 'a *text*', verbatim: true };
  expect(JSON.parse(blocks ?? '')).toEqual([{ type: 'section', text }]);
});

test('a member has a channel that is asked for, a channel is itself', async () => {
  await using bench = await startChatBench();
  bench.answer = () => ({ channel: { id: 'D1' } });
  const channels = ['C1', 'XU', 'U1', 'W1'].map((target) => bench.workspace.channelOf('t1', target));
  expect(await Promise.all(channels)).toEqual(['C1', 'XU', 'D1', 'D1']);
  expect(bench.calls.map(({ method, form }) => [method, form.users]).toSorted()).toEqual([
    ['conversations.open', 'U1'],
    ['conversations.open', 'W1'],
  ]);
  for (const answer of [{}, { channel: {} }]) {
    bench.answer = () => answer;
    await expect(bench.workspace.channelOf('t1', 'U1')).rejects.toMatchObject({
      ...{ kind: 'unreachable', code: 'unexpected_answer', message: 'the workspace opened no channel' },
    });
  }
});

test('whose token it is, with what the workspace leaves out as empty', async () => {
  await using bench = await startChatBench();
  const text = JSON.stringify({ ok: true, team: 'Ho\u202eme', team_id: 'T1', user: 'hub', user_id: 'U1' });
  bench.answer = () => ({ status: 200, text, headers: { 'x-oauth-scopes': 'chat:write, users:read' } });
  const whose = { team: 'Ho\ufffdme', teamId: 'T1', user: 'hub', userId: 'U1' };
  expect(await bench.workspace.whoIs('t1')).toEqual({ ...whose, scopes: ['chat:write', 'users:read'] });
  bench.answer = () => ({});
  const nobody = { team: '', teamId: '', user: '', userId: '', scopes: [] };
  expect(await bench.workspace.whoIs('t1')).toEqual(nobody);
  bench.answer = () => ({ status: 200, headers: { 'x-oauth-scopes': '' } });
  expect(await bench.workspace.whoIs('t1')).toEqual(nobody);
});

test('a member is found by e-mail where the name is one', async () => {
  await using bench = await startChatBench();
  const found = { userId: 'U1', name: '', realName: '', displayName: '' };
  bench.answer = () => ({ user: { id: 'U1' } });
  expect(await bench.workspace.findMember('t1', 'a@b.example')).toEqual(found);
  bench.answer = () => ({});
  expect(await bench.workspace.findMember('t1', 'a@b.example')).toBeNull();
  bench.answer = () => 'users_not_found';
  expect(await bench.workspace.findMember('t1', 'a@b.example')).toBeNull();
  bench.answer = () => 'invalid_auth';
  await expect(bench.workspace.findMember('t1', 'a@b.example')).rejects.toMatchObject({ kind: 'settings' });
  expect(bench.calls.map(({ method, form }) => [method, form.email])).toEqual(
    Array(4).fill(['users.lookupByEmail', 'a@b.example']),
  );
  bench.answer = () => ({});
  for (const name of ['@a', 'a@', 'a b@c', 'a@b c', 'a@b@c']) {
    expect([name, await bench.workspace.findMember('t1', name), bench.calls.at(-1)?.method]).toEqual([
      ...[name, null, 'users.list'],
    ]);
  }
});

test('a member is found by name page by page: the account first, then who chose the name, never a bot or one who left', async () => {
  await using bench = await startChatBench();
  const pages = [
    [
      { id: 'U1', name: 'ada', deleted: true },
      { id: 'U2', name: 'ada', is_bot: true },
      { id: 'U3', name: 'x', real_name: 'Ada', profile: { display_name: 'x' } },
      { id: 'U4', real_name: 'Bea', profile: { real_name: 'Beatrix', display_name: 'BB' } },
    ],
    [{ id: 'U5', name: 'Ada' }, { id: 'U6', profile: { display_name: 'bb' } }, {}],
  ];
  bench.answer = ({ form }) => {
    const page = Number(form.cursor ?? 0);
    return { members: pages[page], response_metadata: { next_cursor: page === 0 ? '1' : '' } };
  };
  const find = async (name: string) => (await bench.workspace.findMember('t1', name))?.userId;
  expect([await find('@ADA'), bench.calls.map(({ form }) => [form.limit, form.cursor])]).toEqual([
    'U5',
    [
      ['200', undefined],
      ['200', '1'],
    ],
  ]);
  expect([await find('beatrix'), await find('bea'), await find('bB'), await find('x')]).toEqual([
    'U4',
    'U4',
    'U4',
    'U3',
  ]);
  expect([await find('nobody'), await find('@@ada')]).toEqual([undefined, undefined]);
  expect(await bench.workspace.findMember('t1', 'bea')).toEqual({
    ...{ userId: 'U4', name: '', realName: 'Bea', displayName: 'BB' },
  });
  bench.calls.length = 0;
  bench.answer = () => ({ response_metadata: { next_cursor: 'more' } });
  expect([await find('ada'), bench.calls.length]).toEqual([undefined, 5]);
});
