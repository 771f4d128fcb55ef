// What is taken from providers and what is not: counts of tokens, names of models, addresses; each bound from both sides.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { toVisibleAnswer } from '#hub/analyse/ai/answer-text.ts';
import { estimateTokens } from '#hub/analyse/ai/prompt.ts';
import { isPromptCut } from '#hub/analyse/ai/providers/cut-prompt.ts';
import { buildLocalUrl, requireEndpoint } from '#hub/analyse/ai/providers/endpoint.ts';
import { selectTextModels } from '#hub/analyse/ai/providers/model-names.ts';
import { parseUsage } from '#hub/analyse/ai/providers/usage.ts';

const most = 1e12;
const said = { input: 30, output: 4 };

test.each<[Parameters<typeof parseUsage>[0], boolean, number[] | null]>([
  [said, true, [30, 4, 34, 0, 0]],
  [{ ...said, cacheRead: null, cacheWrite: undefined, total: null }, true, [30, 4, 34, 0, 0]],
  [{ ...said, total: 40 }, true, [30, 4, 40, 0, 0]],
  [{ ...said, cacheRead: 20, cacheWrite: 10 }, true, [30, 4, 34, 20, 10]],
  [{ ...said, cacheRead: 21, cacheWrite: 10 }, true, null],
  [{ ...said, cacheRead: 21, cacheWrite: 10 }, false, [61, 4, 65, 21, 10]],
  [{ input: 0, output: 0 }, false, [0, 0, 0, 0, 0]],
  [{ input: most, output: 0 }, true, [most, 0, most, 0, 0]],
  [{ input: most + 1, output: 0, total: 1 }, true, null],
  [{ input: most, output: 1 }, true, null],
  ...[-1, 0.5, '3', Number.NaN, most + 1, 1e300, {}].flatMap(
    (wrong): [Parameters<typeof parseUsage>[0], boolean, null][] => [
      [{ ...said, input: wrong }, true, null],
      [{ ...said, output: wrong, total: 1 }, true, null],
      [{ ...said, total: wrong }, true, null],
      [{ ...said, cacheRead: wrong }, false, null],
      [{ ...said, cacheWrite: wrong }, false, null],
    ],
  ),
  [{ input: undefined, output: 4, total: 4 }, true, null],
  [{ input: 30, output: null, total: 4 }, true, null],
])('of %j, with the cache in the input: %s, the usage is %j', (told, holdsCache, expected) => {
  const usage = parseUsage(told, holdsCache);
  const { input, output, total, cacheRead, cacheWrite } = usage ?? {};
  expect(usage === null ? null : [input, output, total, cacheRead, cacheWrite]).toEqual(expected);
});

test('models are named once, in order, without what is no name, what is specialised, and what the provider leaves out', () => {
  const long = 'n'.repeat(limits.aiModelArn);
  const given = ['b', 'a', 'b', '', ' padded', 'a\u0000', 5, null, long, `${long}n`, 'Text-Embed-1', 'a-TTS', 'c-skip'];
  expect(selectTextModels(given, (id) => id !== 'c-skip')).toEqual(['a', 'b', long]);
  expect(selectTextModels(given.slice(-1))).toEqual(['c-skip']);
  const many = Array.from({ length: limits.aiModels + 1 }, (_, index) => `m${1000 + index}`);
  expect(selectTextModels(many.toReversed())).toEqual(many.slice(0, -1));
});

test.each([
  [2047, 1, false],
  [2048, 1, true],
  [5000, 1000, false],
  [5001, 1000, true],
  // Bytes of a token in Japanese, in JSON and in English are no cut.
  [30_000, 11_000, false],
  [48_000, 16_000, false],
  [12_000, 2600, false],
  // A context that is full, and more than it holds.
  ...[2048, 4096, 8192, 16_384, 32_768, 65_536].flatMap((size): [number, number, boolean][] => [
    [4 * size, size, true],
    [4 * size, size - 1, true],
    [4 * size, size - 2, false],
    [4 * size, size + 1, false],
    [3.5 * size, size, false],
    [3.5 * size + 1, size, true],
  ]),
])('of %i bytes %i tokens were read: cut is %s', (bytes, tokens, expected) => {
  expect(isPromptCut(bytes, tokens)).toBe(expected);
});

test('tokens are estimated upwards', () => {
  expect([0, 1, 7, 8].map(estimateTokens)).toEqual([0, 1, 2, 3]);
});

test.each([
  ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1/x'],
  ['https://ai.lan//', 'https://ai.lan/v1/x'],
  ['http://ai.lan/v1', 'http://ai.lan/v1/x'],
  ['http://ai.lan/v1/', 'http://ai.lan/v1/x'],
  ['http://ai.lan/v1/more', 'http://ai.lan/v1/more/v1/x'],
  ['http://ai.lan/api', 'http://ai.lan/api/v1/x'],
  ['no address', null],
  ['ftp://ai.lan', null],
  ['httpsx://ai.lan', null],
  ['xhttp://ai.lan', null],
  ['http://user@ai.lan', null],
  ['http://:pass@ai.lan', null],
  ['http://ai.lan?', null],
  ['http://ai.lan#', null],
  ['http://169.254.169.254', null],
  ['http://0.0.0.0', null],
])('the endpoint %s has its routes at %s', (endpoint, url) => {
  if (url === null) {
    expect(() => buildLocalUrl(endpoint, '/x')).toThrow(expect.objectContaining({ code: 'ai_endpoint_rejected' }));
  } else {
    expect(requireEndpoint(endpoint).href).toBe(new URL(endpoint).href);
    expect(buildLocalUrl(endpoint, '/x')).toBe(url);
  }
});

test('an answer is shown by lines of visible characters, and never empty', () => {
  const longest = 32_768;
  expect(toVisibleAnswer(' a\tb \r\nc\rd\u2028e\u2029f\u0085g\n\n\n\nh\u0000\u202e ')).toEqual({
    ...{ text: 'a  b\nc\nd\ne\nf\ng\n\nh', isCut: false },
  });
  expect(toVisibleAnswer('a\n\nb').text).toBe('a\n\nb');
  expect(toVisibleAnswer(' \n\u200b')).toEqual({ text: '\ufffd', isCut: false });
  expect(toVisibleAnswer('x'.repeat(longest))).toEqual({ text: 'x'.repeat(longest), isCut: false });
  expect(toVisibleAnswer('x'.repeat(longest + 1))).toEqual({ text: 'x'.repeat(longest), isCut: true });
});
