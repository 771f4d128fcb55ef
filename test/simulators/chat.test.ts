// The simulated chat workspace as its official client sees it: methods, scopes, refusals, faults, control.
import {
  type WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api';
import { expect, test } from 'vitest';
import { type ChatFault, chatFaults } from '#simulators/chat/faults.ts';
import { type ChatSimulator, startChat } from '#simulators/chat/workspace.ts';
import { createShiftedClock } from '#simulators/support/shifted-clock.ts';
import { serveControl } from '../support/control-client.ts';
import { eventually } from '../support/eventually.ts';
import { startProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel: () => 'error', setName() {} };

/** The official client, without its own retries. */
function clientOf({ url }: ChatSimulator, token: string): WebClient {
  return new WebClient(token, {
    slackApiUrl: url.href,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 2000,
    logger: silent as never,
  });
}

/** The workspace's code for a call that is refused. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(WebAPIPlatformError);
  return (error as WebAPIPlatformError).data.error;
}

verifies('sim.chat.official-client', 'who am I, members by page and by e-mail, a direct message', async () => {
  await using chat = await startChat({ settings: { pageLimit: 3 } });
  const client = clientOf(chat, chat.credentials.token);
  expect(await client.auth.test()).toMatchObject({
    ok: true,
    team: 'Home',
    user: 'gatehouse',
    response_metadata: { scopes: ['chat:write', 'im:write', 'users:read', 'users:read.email'] },
  });
  const pages: string[][] = [];
  for await (const page of client.paginate('users.list', { limit: 200 })) {
    pages.push((page as { members?: { name: string }[] }).members?.map(({ name }) => name) ?? []);
  }
  expect(pages).toEqual([['owner', 'guest', 'gone'], ['helper']]);
  const { user } = await client.users.lookupByEmail({ email: 'owner@home.example' });
  expect(user).toMatchObject({ id: chat.credentials.userId, profile: { display_name: 'olga' } });
  const opened = await client.conversations.open({ users: chat.credentials.userId });
  const posted = await client.chat.postMessage({ channel: opened.channel?.id ?? '', text: 'hello' });
  expect(posted).toMatchObject({ ok: true, message: { text: 'hello' } });
  expect(chat.journal().find(({ kind }) => kind === 'call')).toMatchObject({
    method: 'auth.test',
    contentType: 'application/x-www-form-urlencoded',
  });
});

verifies('sim.chat.scopes', 'a missing scope is named, and so is what is wrong with a token', async () => {
  await using chat = await startChat();
  const reader = clientOf(chat, chat.issueToken(['users:read']));
  const refused = await reader.chat.postMessage({ channel: 'C0ALERTS01', text: 'x' }).catch((error: unknown) => error);
  expect((refused as WebAPIPlatformError).data).toMatchObject({
    error: 'missing_scope',
    needed: 'chat:write',
    provided: 'users:read',
  });
  expect(await codeOf(clientOf(chat, 'xoxb-unknown').auth.test())).toBe('invalid_auth');
  expect(await codeOf(clientOf(chat, '').auth.test())).toBe('not_authed');
  chat.patch({ tokens: [{ token: 'xoxb-over', scopes: [], state: 'revoked' }] });
  expect(await codeOf(clientOf(chat, 'xoxb-over').auth.test())).toBe('token_revoked');
  expect(await codeOf(clientOf(chat, 'xoxb-over').apiCall('chat.nothing'))).toBe('unknown_method');
});

verifies(
  'sim.chat.messages',
  'a message has channel, text and blocks, and is refused for what is wrong with it',
  async () => {
    await using chat = await startChat();
    const { chat: api, conversations, users } = clientOf(chat, chat.credentials.token);
    const channel = 'C0ALERTS01';
    const block = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });
    await api.postMessage({ channel, text: 'plain', blocks: [block('*bold*')] });
    expect(chat.messages).toMatchObject([
      { channel, user: null, text: 'plain', blocks: [block('*bold*')], ts: expect.stringMatching(/^\d{10}\.\d{6}$/) },
    ]);
    expect(await codeOf(api.postMessage({ channel: 'C0ABSENT01', text: 'x' }))).toBe('channel_not_found');
    expect(await codeOf(api.postMessage({ channel, text: '' }))).toBe('no_text');
    expect(await codeOf(api.postMessage({ channel, text: 'x'.repeat(40_001) }))).toBe('msg_too_long');
    expect(await codeOf(api.postMessage({ channel, text: 'x', blocks: [block('x'.repeat(3001))] }))).toBe(
      'invalid_blocks',
    );
    const many = Array.from({ length: 6 }, () => block('x'.repeat(2900)));
    expect(await codeOf(api.postMessage({ channel, text: 'x', blocks: many }))).toBe('msg_blocks_too_long');
    chat.patch({ channels: [{ id: channel, isMember: false, isArchived: false }] });
    expect(await codeOf(api.postMessage({ channel, text: 'x' }))).toBe('not_in_channel');
    chat.patch({ channels: [{ id: channel, isMember: true, isArchived: true }] });
    expect(await codeOf(api.postMessage({ channel, text: 'x' }))).toBe('is_archived');
    expect(await codeOf(conversations.open({ users: 'U0NOBODY00' }))).toBe('user_not_found');
    expect(await codeOf(conversations.open({ users: 'U0HELPER04' }))).toBe('cannot_dm_bot');
    expect(await codeOf(users.lookupByEmail({ email: 'nobody@home.example' }))).toBe('users_not_found');
    expect(chat.messages).toHaveLength(1);
  },
);

verifies('sim.chat.idempotent', 'the same client id again is the same message', async () => {
  await using chat = await startChat();
  const client = clientOf(chat, chat.credentials.token);
  const post = (args: Record<string, string>) => client.apiCall('chat.postMessage', args) as Promise<{ ts?: string }>;
  const message = { channel: 'C0ALERTS01', text: 'once', client_msg_id: '0b54c4a6-5c8e-4f3a-9a3b-6d1f6f0d7a11' };
  const [first, second] = [await post(message), await post(message)];
  expect(second.ts).toBe(first.ts);
  await post({ ...message, client_msg_id: '7f1c2b52-1f8a-4c9e-8a49-5f4a2a1f9b02' });
  expect(chat.messages).toHaveLength(2);
});

/** What the official client makes of a call under each fault, and whether the message was taken all the same. */
const shows: Record<ChatFault, { value?: number | string; taken: number; error: (error: unknown) => void }> = {
  invalid_auth: { taken: 0, error: (error) => expect((error as WebAPIPlatformError).data.error).toBe('invalid_auth') },
  error: {
    value: 'restricted_action',
    taken: 0,
    error: (error) => expect((error as WebAPIPlatformError).data.error).toBe('restricted_action'),
  },
  'rate-limited': {
    value: 7,
    taken: 0,
    error: (error) => expect((error as WebAPIRateLimitedError).retryAfter).toBe(7),
  },
  'server-error': { value: 503, taken: 0, error: (error) => expect((error as WebAPIHTTPError).statusCode).toBe(503) },
  'no-answer': { taken: 0, error: (error) => expect(error).toBeInstanceOf(WebAPIRequestError) },
  'cut-connection': { taken: 0, error: (error) => expect(error).toBeInstanceOf(WebAPIRequestError) },
  'late-answer': { taken: 0, error: (error) => expect(error).toBeInstanceOf(WebAPIRequestError) },
  'lost-answer': { taken: 1, error: (error) => expect(error).toBeInstanceOf(WebAPIRequestError) },
  'malformed-json': { taken: 1, error: (error) => expect((error as WebAPIPlatformError).data.error).toMatch(/^\{/) },
  'html-answer': {
    taken: 0,
    error: (error) => expect((error as WebAPIPlatformError).data.error).toMatch(/^<!doctype/),
  },
  'large-answer': { taken: 0, error: (error) => expect(error).toBeNull() },
};

for (const [fault, sentence] of Object.entries(chatFaults)) {
  const { value, taken, error } = shows[fault as ChatFault];
  verifies('sim.chat.faults', `${fault}: ${sentence}`, async () => {
    await using chat = await startChat();
    const client = clientOf(chat, chat.credentials.token);
    const post = () => client.chat.postMessage({ channel: 'C0ALERTS01', text: 'x' });
    chat.fail(fault as ChatFault, { times: 1, command: 'chat.', ...(value === undefined ? {} : { value }) });
    await client.auth.test();
    error(
      await post().then(
        () => null,
        (reason: unknown) => reason,
      ),
    );
    expect(chat.messages).toHaveLength(taken);
    await post();
    expect(chat.messages).toHaveLength(taken + 1);
  });
}

verifies('sim.chat.faults', 'a late answer comes, and the message with it, when the faults are cleared', async () => {
  await using chat = await startChat();
  chat.fail('late-answer', { command: 'chat.' });
  const posted = clientOf(chat, chat.credentials.token).chat.postMessage({ channel: 'C0ALERTS01', text: 'x' });
  await eventually(
    async () => chat.journal(),
    (entries) => entries.some(({ kind }) => kind === 'call') || undefined,
  );
  expect(chat.messages).toEqual([]);
  chat.clearFaults();
  expect(await posted).toMatchObject({ ok: true });
  expect(chat.messages).toHaveLength(1);
});

test('a fault with a value that cannot be meant is refused', async () => {
  await using chat = await startChat();
  expect(() => chat.fail('error')).toThrow('error: value is an error code');
  expect(() => chat.fail('rate-limited', { value: 'soon' })).toThrow('rate-limited: value is a whole number');
  expect(chat.state().faults).toEqual([]);
});

verifies('sim.chat.control', 'settings are changed over HTTP, messages are listed, tokens shown nowhere', async () => {
  const clock = createShiftedClock();
  await using chat = await startChat({ clock });
  const { token, userId } = chat.credentials;
  await using served = await serveControl({ control: chat, clock });
  const { ask } = served;
  expect((await ask('PATCH', '/state', { team: 'Office', channelPaceMs: 1000 })).status).toBe(200);
  const client = clientOf(chat, token);
  expect(await client.auth.test()).toMatchObject({ team: 'Office' });
  await client.chat.postMessage({ channel: userId, text: `the token is ${token}` });
  await expect(client.chat.postMessage({ channel: userId, text: 'too soon' })).rejects.toBeInstanceOf(
    WebAPIRateLimitedError,
  );
  expect((await ask('PATCH', '/state', { team: 7 })).status).toBe(400);
  expect((await ask('GET', '/state')).body).toMatchObject({ team: 'Office', calls: 3, messages: [{ user: userId }] });
  const { text: journal } = await ask('GET', '/journal');
  expect(journal).toContain('chat.postMessage');
  expect(journal).not.toContain(token);
  await ask('POST', '/reset');
  expect(chat.state()).toMatchObject({ team: 'Home', messages: [] });
});

test('the command runs one with a token of choice, and prints where', async () => {
  await using program = startProgram(['src/main.ts', 'sim', 'chat', '--port', '0', '--token', 'xoxb-of-choice']);
  const [, line = ''] = await program.printed(/^(\{.*\})$/m);
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  expect(token).toBe('xoxb-of-choice');
  const client = new WebClient(token, { slackApiUrl: url, retryConfig: { retries: 0 }, logger: silent as never });
  expect(await client.auth.test()).toMatchObject({ team: 'Home' });
});
