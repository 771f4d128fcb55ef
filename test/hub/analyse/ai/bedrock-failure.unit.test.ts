// What an error of the AWS client means, by its name, its status, its code and its words.
import { expect, test } from 'vitest';
import { UnreadableAnswer } from '#hub/analyse/ai/providers/bedrock/clients.ts';
import { toProviderError } from '#hub/analyse/ai/providers/bedrock/failure.ts';
import { listFacts } from '#hub/base/refusals.ts';
import { AppError } from '#kernel/errors.ts';
import { describeInJapanese } from '../../../support/japanese.ts';

const recipient = { provider: 'cloud_c', model: 'maker.model-v1', key: '' } as const;

/** As the client throws: the name, what it says, and what of the answer there is. */
function thrown(name: string, message = 'Words.', more: object = {}): Error {
  return Object.assign(new Error(message), { name, ...more });
}
const answered = (httpStatusCode: unknown, headers: unknown = {}) => ({
  ...{ $metadata: { httpStatusCode }, $response: { headers } },
});

const withoutCredentials = /^the hub finds no credentials for AWS/;
const rejected = (name: string) => new RegExp(`^AWS refused the credentials of the hub \\(${name}\\)`);

test.each<[unknown, string, string | RegExp]>([
  [thrown('CredentialsProviderError'), 'ai_key_rejected', withoutCredentials],
  [thrown('TokenProviderError'), 'ai_key_rejected', withoutCredentials],
  [thrown('ProviderError'), 'ai_key_rejected', withoutCredentials],
  [thrown('ProviderErrorOfAnother'), 'ai_failed', /^AWS Bedrock cannot be reached \(ProviderErrorOfAnother\)/],
  [thrown('MyProviderError'), 'ai_failed', /^AWS Bedrock cannot be reached \(MyProviderError\)/],
  ...[
    ...['UnrecognizedClientException', 'InvalidSignatureException', 'MissingAuthenticationToken', 'OptInRequired'],
    ...['InvalidClientTokenId', 'IncompleteSignature', 'SignatureDoesNotMatch', 'ExpiredTokenException'],
    'UnauthorizedSSOTokenError',
  ].map((name): [Error, string, RegExp] => [thrown(name), 'ai_key_rejected', rejected(name)]),
  [thrown('NotAnExpiredToken'), 'ai_failed', /^AWS Bedrock cannot be reached/],
  [
    thrown('AccessDeniedException', 'Not you.'),
    'ai_key_rejected',
    /^AWS does not allow .* \(AccessDeniedException: "Not you\."\): allow bedrock:InvokeModel/,
  ],
  [thrown('ThrottlingException', 'Slow.'), 'ai_limited', /"Slow\.": try again later$/],
  [thrown('TooManyRequestsException', 'x', answered(429, { 'retry-after': '7' })), 'ai_limited', /try again in 7 s$/],
  [thrown('ServiceQuotaExceededException', 'x', { $response: 'none' }), 'ai_limited', /try again later$/],
  [thrown('RequestLimitExceeded', 'x', { $response: { headers: null } }), 'ai_limited', /try again later$/],
  [thrown('NotThrottling'), 'ai_failed', /^AWS Bedrock cannot be reached/],
  [thrown('SomeException', 'x', answered(429)), 'ai_limited', /try again later$/],
  [thrown('ModelNotReadyException', 'x', answered(429)), 'ai_failed', /failed \(429 ModelNotReadyException\): "x"/],
  [thrown('ModelTimeoutException', 'x', answered(408)), 'ai_timeout', /did not answer within 30 s/],
  [thrown('Error', 'x', { code: 'ETIMEDOUT' }), 'ai_timeout', /did not answer within 30 s/],
  // Requests that AWS finds wrong.
  [
    thrown('ValidationException', 'The Guardrail is unknown', answered(400)),
    'ai_failed',
    /refused the guardrail: "The/,
  ],
  [thrown('ResourceNotFoundException', 'no guardrail', answered(404)), 'ai_failed', /refused the guardrail: "no/],
  [thrown('ValidationException', 'Input is too long', answered(400)), 'ai_prompt_cut', /did not read the whole/],
  [thrown('ValidationException', 'the Context is full', answered(400)), 'ai_prompt_cut', /did not read the whole/],
  [thrown('ValidationException', 'so many input tokens', answered(400)), 'ai_prompt_cut', /did not read the whole/],
  [thrown('ValidationException', 'no such Model', answered(400)), 'ai_model_unknown', /maker\.model-v1: "no such/],
  [thrown('ValidationException', 'Inference Profile?', answered(400)), 'ai_model_unknown', /maker\.model-v1/],
  [
    thrown('ValidationException', 'a comma', answered(400)),
    'ai_failed',
    /failed \(400 ValidationException\): "a comma"/,
  ],
  [thrown('ResourceNotFoundException', 'gone', answered(404)), 'ai_model_unknown', /maker\.model-v1: "gone"/],
  [thrown('OtherException', 'no such model', answered(404)), 'ai_failed', /failed \(404 OtherException\)/],
  // Nothing of the request is wrong.
  [thrown('Error', 'x', { code: 'ECONNRESET' }), 'ai_failed', /broke off its answer \(ECONNRESET\): try again$/],
  [thrown('Error', 'x', { code: 'EPIPE' }), 'ai_failed', /broke off its answer \(EPIPE\)/],
  [thrown('Error', 'x', { code: 'NOT_EPIPE' }), 'ai_failed', /cannot be reached \(NOT_EPIPE\)/],
  [thrown('Error', 'x', { code: 'EPIPED' }), 'ai_failed', /cannot be reached \(EPIPED\)/],
  [thrown('Error', 'Aborted'), 'ai_failed', /broke off its answer \(ECONNRESET\)/],
  [thrown('Error', 'socket hang up'), 'ai_failed', /broke off its answer \(ECONNRESET\)/],
  [thrown('Error', 'Premature close', { code: 'E1' }), 'ai_failed', /broke off its answer \(E1\)/],
  [thrown('Error', 'was aborted', { code: 'E1' }), 'ai_failed', /cannot be reached \(E1\): look whether this hub/],
  [thrown('Error', 'x', answered(503)), 'ai_failed', /has too much to do \(503\): "x": try again in a few minutes/],
  [thrown('Internal', 'x', answered(500)), 'ai_failed', /failed \(500 Internal\): "x": try again later/],
  [thrown('Internal', 'x', answered(400)), 'ai_failed', /failed \(400 Internal\): "x": try again later/],
  [thrown('Error', 'x', answered(399)), 'ai_failed', /answered with something that is no whole JSON/],
  [thrown('Error', 'x', answered('200')), 'ai_failed', /cannot be reached \(Error\)/],
  [new SyntaxError('x'), 'ai_failed', /answered with something that is no whole JSON/],
  [
    new UnreadableAnswer({ code: 'ai_redirects', what: 'answered 302' }),
    'ai_failed',
    /^AWS Bedrock answered 302: try again later, and look whether/,
  ],
  [null, 'ai_failed', /cannot be reached \(\)/],
  ['words', 'ai_failed', /cannot be reached \(\)/],
  [{ name: 5, code: 6 }, 'ai_failed', /cannot be reached \(\)/],
])('%s means %s, %s', (error, code, message) => {
  const meaning = toProviderError(recipient, error, 1000);
  expect([meaning.code, meaning.message]).toEqual([code, expect.stringMatching(message)]);
  expect(meaning.cause).toBe(code === 'ai_key_rejected' ? error : meaning.cause);
  // One Japanese sentence says all of the other codes.
  const said = describeInJapanese(listFacts(meaning));
  expect(said).toMatch(/^ai_(?:failed|limited|key_rejected)$/.test(code) ? /。(?:「.+」)?$/ : /^$/);
});

test.each<[unknown, string]>([
  [
    thrown('Error', 'x', { code: 'ENOTFOUND' }),
    'AWS Bedrock に接続できません。リージョンとインターネット接続を確認してください。名前解決ができません。',
  ],
  [thrown('Odd'), 'AWS Bedrock に接続できません。リージョンとインターネット接続を確認してください。「Odd」'],
  [null, 'AWS Bedrock に接続できません。リージョンとインターネット接続を確認してください。'],
  [
    thrown('Internal', 'It broke.', answered(500)),
    'AWS Bedrock がエラー 500 Internal を返しました。後でもう一度試してください。「It broke.」',
  ],
  [
    thrown('ProviderError'),
    'ハブに AWS の認証情報がありません。環境変数、プロファイル、ロールのいずれかで与えてください。',
  ],
])('%s is said in Japanese', (error, sentence) => {
  expect(describeInJapanese(listFacts(toProviderError(recipient, error, 1000)))).toBe(sentence);
});

test('an error that the hub made itself is passed on as it is', () => {
  const own = new AppError('ai_timeout', 'late');
  expect(toProviderError(recipient, own, 1000)).toBe(own);
});
