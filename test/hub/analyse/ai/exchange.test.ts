// What each answer of a server means for the hub, over a socket: statuses, headers and bodies that nobody asked for.
import { expect, test } from 'vitest';
import type { AiProviderName } from '#contract/ai-records.ts';
import { createCloudA } from '#hub/analyse/ai/providers/cloud-a.ts';
import { createCloudB } from '#hub/analyse/ai/providers/cloud-b.ts';
import { exchange, parseRetryAfter } from '#hub/analyse/ai/providers/exchange.ts';
import { createLocal } from '#hub/analyse/ai/providers/local.ts';
import type { Usage } from '#hub/analyse/ai/providers/provider.ts';
import { listFacts } from '#hub/base/refusals.ts';
import { AppError } from '#kernel/errors.ts';
import { smallPrompt } from '../../../support/ai-desk.ts';
import { type Answer, answerAlways } from '../../../support/answering-server.ts';
import { describeInJapanese } from '../../../support/japanese.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const failure = (error: unknown) => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error));
const toTarget = (provider: AiProviderName, endpoint: string) => ({
  ...{ provider, model: 'm-1', key: provider === 'local' ? '' : 'k-1', endpoint, region: '', guardrail: null },
});

/** What a question to `provider`, or a listing, comes to. */
async function exchanged(provider: AiProviderName, given: Answer, body: string | undefined) {
  await using server = await answerAlways(given);
  const asked = {
    recipient: toTarget(provider, server.url),
    url: server.url,
    headers: {},
    signal: new AbortController().signal,
  };
  return await exchange(new ManualClock(), body === undefined ? asked : { ...asked, body }).then(
    JSON.stringify,
    failure,
  );
}

const json = { 'content-type': 'application/json' };
const error = (message: string, code?: unknown) => ({ error: { message, code } });

test.each<[Answer, string | RegExp, (string | RegExp)?]>([
  // As JSON.
  [{ body: { a: 1 } }, '{"a":1}'],
  [{ status: 299, body: { a: 1 } }, '{"a":1}'],
  [{ headers: { 'content-type': 'Application/vnd.api-1+JSON; charset=utf-8' } }, '{}'],
  [{ headers: {} }, /answered 200 with no content type, not with JSON/],
  [{ headers: { 'content-type': 'application/jsonl' } }, /answered 200 with application\/jsonl, not with JSON/],
  [{ headers: { 'content-type': 'x-application/json; a=b' } }, /answered 200 with x-application\/json, not with JSON/],
  [{ body: '[1]' }, /something that is no whole JSON/],
  [{ body: '{"a":' }, /something that is no whole JSON/],
  [{ body: 'null' }, /something that is no whole JSON/],
  // Refusals.
  [{ status: 301, headers: { location: '/elsewhere' } }, /answered 301, a redirect to another address/],
  [{ status: 399 }, /answered 399, a redirect to another address/],
  [
    { status: 401, body: error('no') },
    /^ai_key_rejected: the local AI server asks for a key \(401\)/,
    /refused the stored key \(401\)/,
  ],
  [
    { status: 403 },
    /^ai_key_rejected: the local AI server asks for a key \(403\)/,
    /does not allow the stored key to do this/,
  ],
  [{ status: 429, body: error('slow') }, /^ai_limited: .* for now: "slow": try again later/],
  [{ status: 429, headers: { ...json, 'retry-after': '9' } }, /^ai_limited: .*try again in 9 s/],
  [{ status: 429, body: error('paid', 'insufficient_quota') }, /^ai_limited: the account at .* has used up/],
  [{ status: 400, body: error('paid', 'insufficient_quota') }, /^ai_limited: the account at .* has used up/],
  [{ status: 400, body: error('what', 'model_not_found') }, /^ai_model_unknown: .* the model m-1: "what"/],
  [{ status: 400, body: error('x', 'context_length_exceeded') }, /^ai_prompt_cut: /],
  [{ status: 499, body: error('The Context is full') }, /^ai_prompt_cut: .*"The Context is full"/],
  [{ status: 400, body: error('n_ctx') }, /^ai_prompt_cut: /],
  [{ status: 400, body: error('num_ctx') }, /^ai_prompt_cut: /],
  [{ status: 400, body: error('prompt is too long') }, /^ai_prompt_cut: /],
  [
    { status: 500, body: error('the context broke') },
    /failed \(500\): "the context broke": look at its log/,
    /: try again later$/,
  ],
  [{ status: 503, body: error('busy') }, /has too much to do \(503\): "busy": try again in a few minutes/],
  [{ status: 529 }, /has too much to do \(529\): try again in a few minutes/],
  [{ status: 502, body: 'no json' }, /failed \(502\): look at its log/, /failed \(502\): try again later/],
  [
    { status: 418, body: { error: 'a teapot' } },
    /refused the request \(418\): "a teapot": look in the settings/,
    /whether a proxy changes/,
  ],
  [{ status: 418, body: { message: 'tea' } }, /refused the request \(418\): "tea"/],
  [{ status: 418, body: error('tea', 5) }, /refused the request \(418\): "tea"/],
  [
    { status: 418, body: { error: { message: 5 } } },
    /refused the request \(418\): look/,
    /refused the request \(418\): try/,
  ],
])('%j is said as %s', async (given, local, cloud = local) => {
  for (const body of ['{}', undefined]) {
    expect(await exchanged('local', given, body)).toMatch(local);
    expect(await exchanged('cloud_a', given, body)).toMatch(cloud);
  }
});

/** What the page says in Japanese of a refusal. */
async function describedOf(provider: AiProviderName, given: Answer): Promise<string> {
  await using server = await answerAlways(given);
  const recipient = toTarget(provider, server.url);
  const asked = { recipient, url: server.url, headers: {}, body: '{}', signal: new AbortController().signal };
  const error: unknown = await exchange(new ManualClock(), asked).catch((thrown: unknown) => thrown);
  return describeInJapanese(listFacts(error)).replace(new URL(server.url).host, 'HOST');
}

test.each<[AiProviderName, Answer, string]>([
  ['local', { status: 401 }, 'ローカルサーバーが API キーを求めています（401）。'],
  ['cloud_a', { status: 401 }, 'Anthropic が API キーを拒否しました（401）。'],
  ['cloud_b', { status: 403 }, 'OpenAI はこの API キーに許可していません（403）。'],
  ['cloud_a', { status: 429, headers: { ...json, 'retry-after': '9' } }, '9 秒後にもう一度試してください。'],
  ['cloud_a', { status: 429, body: error('slow') }, '後でもう一度試してください。「slow」'],
  ['cloud_b', { status: 429, body: error('paid', 'insufficient_quota') }, 'OpenAI の利用枠を使い切りました。'],
  ['cloud_a', { status: 529, body: error('busy') }, '数分後にもう一度試してください。「busy」'],
  [
    'cloud_a',
    { status: 500, body: error('k-1 broke') },
    'エラー 500 を返しました。後でもう一度試してください。「… broke」',
  ],
  ['local', { status: 500 }, 'ローカルサーバーがエラー 500 を返しました。ログを確認してください。'],
  ['local', { status: 418 }, '要求を受け付けません（418）。設定の「AI プロバイダー」で、'],
  ['cloud_a', { status: 307 }, '別のアドレスに転送します（307）。'],
  ['cloud_a', { headers: { 'content-type': 'text/html' } }, 'JSON ではありません（200、text/html）。'],
  ['cloud_a', { headers: {} }, 'JSON ではありません（200）。'],
  ['cloud_a', { body: '{"a":' }, 'Anthropic の応答が JSON ではありません。'],
])('%s, %j: the page says %s', async (provider, given, sentence) => {
  expect(await describedOf(provider, given)).toContain(sentence);
});

test('404 is a model that is unknown for a question, and a wrong address for a listing', async () => {
  expect(await exchanged('local', { status: 404 }, '{}')).toMatch(/^ai_model_unknown: /);
  expect(await exchanged('local', { status: 404 }, undefined)).toMatch(/^ai_failed: .* refused the request \(404\)/);
});

test('nothing that listens, and an abort, are told apart', async () => {
  const gone = await answerAlways({});
  await gone[Symbol.asyncDispose]();
  const ask = (provider: AiProviderName, signal: AbortSignal) =>
    exchange(new ManualClock(), { recipient: toTarget(provider, ''), url: gone.url, headers: {}, signal }).catch(
      failure,
    );
  const { host } = new URL(gone.url);
  const signal = new AbortController().signal;
  const unreached: unknown = await exchange(new ManualClock(), {
    ...{ recipient: toTarget('local', ''), url: gone.url, headers: {}, signal },
  }).catch((thrown: unknown) => thrown);
  expect(describeInJapanese(listFacts(unreached))).toBe(
    `ローカルサーバー（${host}）に接続できません。起動しているか、設定のアドレスが正しいか確認してください。接続を拒否されました。`,
  );
  expect(await ask('local', signal)).toContain(
    `cannot be reached at ${host} (ECONNREFUSED): start it there, or correct`,
  );
  expect(await ask('cloud_b', signal)).toContain(`reached at ${host} (ECONNREFUSED): look whether this hub reaches`);
  expect(await ask('local', AbortSignal.abort('left'))).toBe('left');
});

const now = Date.UTC(2026, 2, 1);
const day = 86_400_000;
test.each([
  ['0', 0],
  ['7', 7000],
  ['86400', day],
  ['86401', null],
  ['999999', null],
  ['-1', null],
  ['1.5', null],
  ['7 s', null],
  ['a7', null],
  [undefined, null],
  ['Sun, 01 Mar 2026 00:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 00:00:00 GMT', 0],
  ['Sat, 28 Feb 2026 23:59:59 GMT', null],
  ['Mon, 02 Mar 2026 00:00:00 GMT', day],
  ['Mon, 02 Mar 2026 00:00:01 GMT', null],
])('Retry-After: %s is a wait of %s ms', (text, ms) => {
  expect(parseRetryAfter(text === undefined ? {} : { 'retry-after': text }, now)).toBe(ms);
});

type Shown = [text: string, truncated: boolean, input: number | null, output?: number];

/** What a provider makes of the JSON that a server answers, and what it tells of its use. */
async function answerTo(provider: 'local' | 'cloud_a' | 'cloud_b', body: object): Promise<string | Shown> {
  await using server = await answerAlways({ body });
  const { url } = server;
  const clock = new ManualClock();
  const urls = { cloud_a: url, cloud_b: url, cloud_c_runtime: url, cloud_c_control: url };
  await using local = createLocal(clock);
  const made = { local, cloud_a: createCloudA(clock, urls), cloud_b: createCloudB(clock, urls) }[provider];
  const target = toTarget(provider, url);
  const told: (Usage | null)[] = [];
  const notices = { onSent: () => {}, onUsage: (usage: Usage | null) => void told.push(usage) };
  const asked = made.send(target, made.buildRequest(target, smallPrompt), new AbortController().signal, notices);
  const said = await asked.then(
    ({ text, truncated, usage }): Shown =>
      usage ? [text, truncated, usage.input, usage.output] : [text, truncated, null],
    failure,
  );
  expect(told).toHaveLength(2);
  expect(told[0]).toBeNull();
  return said;
}

const refused = /^ai_answer_refused: the model of/;
const filtered = /^ai_answer_refused: a filter of/;
const cut = /^ai_prompt_cut/;
const noText = /^ai_failed: .* answered without a text/;
const thinks = /used up the length of its answer before the answer began: choose a model that does not think first/;

/** As the local server answers. */
const choice = (content: unknown, finish_reason = 'stop', more: object = {}) => ({
  choices: [{ message: { content, ...more }, finish_reason }],
});
const tokens = (prompt_tokens: unknown, completion_tokens: unknown, more: object = {}) => ({
  usage: { prompt_tokens, completion_tokens, ...more },
});

/** As Anthropic and OpenAI answer. */
const text = (said: unknown, type = 'text') => ({ type, text: said });
const used = (input_tokens: number, output_tokens: number, more: object = {}) => ({
  usage: { input_tokens, output_tokens, ...more },
});
const cache = { cache_read_input_tokens: 5, cache_creation_input_tokens: 2 };
const output = (...parts: object[]) => ({ output: [{ type: 'reasoning' }, { content: parts }] });
const said = text('x', 'output_text');
const details = { total_tokens: 35, input_tokens_details: { cached_tokens: 5, cache_write_tokens: 25 } };
const ends = (reason: string) => ({ incomplete_details: { reason } });

test.each<['local' | 'cloud_a' | 'cloud_b', object, RegExp | Shown]>([
  ['local', choice(' Two\nlines. '), ['Two\nlines.', false, null]],
  ['local', { ...choice('x'), ...tokens(30, 4) }, ['x', false, 30, 4]],
  ['local', { choices: [] }, noText],
  ['local', { choices: [{}] }, noText],
  ['local', { choices: [5, { message: { content: 'second' } }] }, ['second', false, null]],
  ['local', choice('<think>a</think> b <think>c</think>'), ['b <think>c</think>', false, null]],
  ['local', choice(' <think>a'), noText],
  ['local', choice('no <think>a</think>'), ['no <think>a</think>', false, null]],
  ['local', choice('xy', 'length'), ['xy', true, null]],
  ['local', choice('x', 'length'), cut],
  ['local', { ...choice('', 'length'), ...tokens(30, 16) }, cut],
  ['local', { ...choice('', 'length'), ...tokens(30, 17) }, thinks],
  ['local', choice('x', 'content_filter'), filtered],
  ['local', choice('x', 'stop', { refusal: 'no' }), refused],
  ['local', choice('x', 'stop', { refusal: '' }), ['x', false, null]],
  ['local', choice(5), noText],
  ['local', { ...choice('x'), ...tokens(30, 4, { total_tokens: 40 }) }, ['x', false, 30, 4]],
  ['local', { ...choice('x'), ...tokens(30, 4, { prompt_tokens_details: { cached_tokens: 31 } }) }, ['x', false, null]],
  ['cloud_a', { content: [text(' One'), text('thought', 'thinking'), text(' two. ')] }, ['One two.', false, null]],
  ['cloud_a', { content: [text('x')], stop_reason: 'end_turn', ...used(30, 4, cache) }, ['x', false, 37, 4]],
  ['cloud_a', { content: [text('x')], stop_reason: 'max_tokens' }, ['x', true, null]],
  ['cloud_a', { content: [text('x')], stop_reason: 'model_context_window_exceeded' }, ['x', true, null]],
  ['cloud_a', { content: [text('x')], stop_reason: 'refusal' }, refused],
  ['cloud_a', { content: [text('x', 'tool_use')] }, noText],
  ['cloud_a', { content: [], stop_reason: 'max_tokens' }, thinks],
  ['cloud_a', { content: [], stop_reason: 'max_tokens', ...used(30, 16) }, cut],
  ['cloud_a', { content: [], stop_reason: 'model_context_window_exceeded', ...used(30, 17) }, thinks],
  ['cloud_a', { content: [text(5)] }, noText],
  [
    'cloud_b',
    output(text(' One', 'output_text'), text('no', 'other'), text(' two. ', 'output_text')),
    ['One two.', false, null],
  ],
  ['cloud_b', { ...output(said), status: 'completed', ...used(30, 5, details) }, ['x', false, 30, 5]],
  ['cloud_b', { ...output(said), status: 'incomplete' }, ['x', true, null]],
  ['cloud_b', { ...output(said), ...ends('content_filter') }, filtered],
  ['cloud_b', output(said, { type: 'refusal' }), refused],
  [
    'cloud_b',
    { ...output(said), status: 'failed', error: { message: 'k-1 broke' } },
    /gave up: "… broke": try again later/,
  ],
  ['cloud_b', output(), noText],
  ['cloud_b', { ...output(), ...ends('max_output_tokens') }, thinks],
  ['cloud_b', { ...output(), ...ends('max_output_tokens'), ...used(30, 16) }, cut],
  ['cloud_b', { ...output(), ...ends('other'), ...used(30, 16) }, noText],
])('%s answers %j: %j', async (provider, body, expected) => {
  expect(await answerTo(provider, body)).toEqual(
    expected instanceof RegExp ? expect.stringMatching(expected) : expected,
  );
});
