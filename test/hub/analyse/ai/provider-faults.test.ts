// What providers do wrong, and the code and the sentence with which the hub says it.
import { expect } from 'vitest';
import { type AiProviderName, aiProviderNames } from '#contract/ai-records.ts';
import { providerTitles } from '#hub/analyse/ai/choice.ts';
import { listFacts } from '#hub/base/refusals.ts';
import { AppError } from '#kernel/errors.ts';
import type { AiFault } from '#simulators/ai/faults.ts';
import { type AiDesk, openAiDesk, smallPrompt } from '../../../support/ai-desk.ts';
import { describeInJapanese } from '../../../support/japanese.ts';
import { type TableRow, verifies } from '../../../support/verifies.ts';

type Sentences = Partial<Record<AiProviderName, string>>;

interface FaultRow extends TableRow {
  fault: AiFault;
  value?: string | number;
  code: string;
  /** Of all providers but those of `others`; `…` is the name of the provider. */
  says?: string;
  others?: Sentences;
}

const settings = 'in the settings, under AI providers';
const proxy = 'try again later, and look whether a proxy changes what the hub receives';
const compatible = `look ${settings}, whether its address is that of an OpenAI-compatible server`;
const local = (sentence: string) => ({ local: `the local AI server ${sentence}: ${compatible}` });
const context =
  'raise its context length (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile; LM Studio and llama.cpp: the context length with which the model is loaded)';
const cut = 'did not read the whole question';
const tooLong = ': "prompt is too long: it exceeds the context length of the model"';
const wait = 'answers no more requests for now: "Too many requests, please wait before trying again."';

const rows: FaultRow[] = [
  {
    what: 'the key is refused',
    fault: 'unauthorized',
    code: 'ai_key_rejected',
    says: `… refused the stored key (401): save a valid one ${settings}`,
    others: {
      local: 'the local AI server asks for a key (401), and the hub sends it none: let it answer without one',
      cloud_c:
        'AWS refused the credentials of the hub (UnrecognizedClientException): renew them (environment, profile or role)',
    },
  },
  {
    what: 'the limit is used up',
    fault: 'rate-limited',
    value: 17,
    code: 'ai_limited',
    says: `… ${wait}: try again in 17 s`,
  },
  {
    what: 'the limit is used up until a date',
    fault: 'rate-limited',
    value: 'Sun, 01 Mar 2026 03:01:30 GMT',
    code: 'ai_limited',
    says: `… ${wait}: try again in 90 s`,
  },
  {
    what: 'the limit is used up until whenever',
    fault: 'rate-limited',
    value: 'soon',
    code: 'ai_limited',
    says: `… ${wait}: try again later`,
  },
  {
    what: 'an error of the provider',
    fault: 'server-error',
    code: 'ai_failed',
    says: '… failed (500): "Internal error.": try again later',
    others: {
      local: 'the local AI server failed (500): "Internal error.": look at its log',
      cloud_c: 'AWS Bedrock failed (500 InternalServerException): "Internal error.": try again later',
    },
  },
  {
    what: 'too much to do',
    fault: 'overloaded',
    code: 'ai_failed',
    says: '… has too much to do (503): "Overloaded": try again in a few minutes',
    others: { cloud_a: 'Anthropic has too much to do (529): "Overloaded": try again in a few minutes' },
  },
  {
    what: 'a connection that is reset',
    fault: 'reset',
    code: 'ai_failed',
    says: '… broke off its answer (ECONNRESET): try again',
  },
  {
    what: 'an answer that ends early',
    fault: 'truncated',
    code: 'ai_failed',
    says: '… broke off its answer (UND_ERR_SOCKET): try again',
    others: { cloud_c: 'AWS Bedrock broke off its answer (ECONNRESET): try again' },
  },
  {
    what: 'an answer that is too large',
    fault: 'huge',
    code: 'ai_failed',
    says: `… answered with more than 1 MB: ${proxy}`,
    others: local('answered with more than 1 MB'),
  },
  {
    what: 'a page instead of JSON',
    fault: 'html',
    code: 'ai_failed',
    says: `… answered 200 with text/html, not with JSON: ${proxy}`,
    others: local('answered 200 with text/html, not with JSON'),
  },
  {
    what: 'JSON that is said to be text',
    fault: 'wrong-type',
    code: 'ai_failed',
    says: `… answered 200 with text/plain, not with JSON: ${proxy}`,
    others: local('answered 200 with text/plain, not with JSON'),
  },
  {
    what: 'half of the JSON',
    fault: 'not-json',
    code: 'ai_failed',
    says: `… answered with something that is no whole JSON: ${proxy}`,
    others: {
      ...local('answered with something that is no whole JSON'),
      cloud_c: 'AWS Bedrock answered with something that is no whole JSON: try again later',
    },
  },
  {
    what: 'a redirect',
    fault: 'redirect',
    code: 'ai_failed',
    says: `… answered 307, a redirect to another address, which the hub does not follow: ${proxy}`,
    others: local('answered 307, a redirect to another address, which the hub does not follow'),
  },
  {
    what: 'a prompt that does not fit, with an answer that has no room',
    fault: 'cut-prompt',
    value: 2,
    code: 'ai_prompt_cut',
    says: `… ${cut}, so its answer is not shown: choose a shorter period, or a model that reads longer texts`,
    others: { local: `the local AI server ${cut}, so its answer is not shown: ${context}` },
  },
  {
    what: 'a prompt that is refused as too long',
    fault: 'too-long',
    code: 'ai_prompt_cut',
    says: `… ${cut}${tooLong}, so its answer is not shown: choose a shorter period, or a model that reads longer texts`,
    others: { local: `the local AI server ${cut}${tooLong}, so its answer is not shown: ${context}` },
  },
  {
    what: 'a model that declines',
    fault: 'refusal',
    code: 'ai_answer_refused',
    says: 'the model of … declined to answer: ask about another period, or choose another model',
    others: {
      cloud_c: 'a filter of AWS Bedrock withheld the answer: ask about another period, or choose another model',
    },
  },
  {
    what: 'a filter',
    fault: 'refusal',
    value: 'filter',
    code: 'ai_answer_refused',
    says: 'a filter of … withheld the answer: ask about another period, or choose another model',
    others: { cloud_a: 'the model of Anthropic declined to answer: ask about another period, or choose another model' },
  },
  {
    what: 'an answer without a text',
    fault: 'empty-answer',
    code: 'ai_failed',
    says: '… answered without a text: ask again, or choose another model',
  },
  {
    what: 'a call of a tool',
    fault: 'obeys-injection',
    value: 'tool',
    code: 'ai_failed',
    says: '… answered without a text: ask again, or choose another model',
  },
];

/** Codes whose reason the page says; one Japanese sentence says all of the others. */
const withReasons = /^ai_(?:failed|limited|key_rejected|endpoint_rejected)$/;

/** `ai_…: sentence` of a failure, `answered: text` of an answer. The page says the failure in Japanese, but for quotes and names. */
async function outcome(desk: AiDesk, prompt = smallPrompt): Promise<string> {
  return desk.ask(prompt).then(
    ({ answer }) => `answered: ${answer.text}`,
    (error: unknown) => {
      if (!(error instanceof AppError)) {
        return `thrown: ${error}`;
      }
      const said = describeInJapanese(listFacts(error));
      expect(said).toMatch(withReasons.test(error.code) ? /。(?:「.+」)?$/ : /^$/);
      expect(said.replace(/「[^」]+」$/, '')).not.toMatch(/(?:[a-z']+ ){2}[a-z']+/);
      return `${error.code}: ${error.message}`;
    },
  );
}

verifies.each('rest.ai-provider.failures', rows, async ({ fault, value, code, says = '', others = {} }) => {
  await using desk = await openAiDesk();
  const seen: Record<string, string> = {};
  for (const provider of aiProviderNames) {
    desk.choose(provider);
    desk.ai.fail(fault, { times: 1, ...(value === undefined ? {} : { value }) });
    seen[provider] = await outcome(desk);
    desk.ai.clearFaults();
    // The next one goes well: nothing of the failure stays.
    expect(await outcome(desk)).toBe('answered: There were 12 connections.');
  }
  const expected = aiProviderNames.map((provider) => [
    provider,
    `${code}: ${others[provider] ?? says.replace('…', providerTitles[provider])}`,
  ]);
  expect(seen).toEqual(Object.fromEntries(expected));
  const codes = desk.used().map((row) => row.error_code);
  expect(codes.filter((one) => one === null)).toHaveLength(aiProviderNames.length);
  // An answer that began with success is stored with the code of its failure.
  expect([[], aiProviderNames.map(() => code)]).toContainEqual(codes.filter((one) => one !== null));
});

verifies('rest.ai-provider.failures', 'models that are not there, by each provider and by its name', async () => {
  await using desk = await openAiDesk();
  const models = { local: 'gone:1b', cloud_a: 'claude-gone', cloud_b: 'gpt-gone', cloud_c: 'amazon.gone-v1' };
  const seen: string[] = [];
  for (const provider of aiProviderNames) {
    desk.choose(provider, { models });
    seen.push(await outcome(desk));
  }
  expect(seen).toEqual([
    `ai_model_unknown: the local AI server does not offer the model gone:1b: "model "gone:1b" not found, try pulling it first": load it there, or correct model or address ${settings}`,
    `ai_model_unknown: Anthropic does not offer the model claude-gone: "model: claude-gone": choose another one ${settings}`,
    `ai_model_unknown: OpenAI does not offer the model gpt-gone: "The model 'gpt-gone' does not exist or you do not have access to it.": choose another one ${settings}`,
    `ai_model_unknown: AWS Bedrock does not offer the model amazon.gone-v1: "The provided model identifier is invalid.": choose another one ${settings}`,
  ]);
});

verifies('rest.ai-provider.failures', 'AWS: guardrails, permissions and credentials are told apart', async () => {
  await using desk = await openAiDesk();
  desk.choose('cloud_c', { guardrail: { enabled: true, id: 'gone', version: '' } });
  expect(await outcome(desk)).toMatch(
    /^ai_failed: AWS Bedrock refused the guardrail: .*: choose another one, or none,/,
  );
  desk.choose('cloud_c', { guardrail: { enabled: true, id: 'gr1homenetwork', version: '' } });
  desk.ai.fail('guardrail-intervened', { times: 1 });
  expect(await outcome(desk)).toMatch(/^ai_answer_refused: the guardrail of AWS Bedrock blocked the question/);
  for (const [value, message] of [
    ['AccessDeniedException', /^ai_key_rejected: AWS does not allow the credentials of the hub to do this/],
    ['ExpiredTokenException', /^ai_key_rejected: AWS refused the credentials of the hub \(ExpiredTokenException\)/],
  ] as const) {
    desk.ai.fail('unauthorized', { value, times: 1 });
    expect(await outcome(desk)).toMatch(message);
  }
});

verifies('rest.ai-provider.failures', 'a local server that is not there, or elsewhere than it may be', async () => {
  await using desk = await openAiDesk();
  const at = (localEndpoint: string) => {
    desk.choose('local', { localEndpoint });
    return outcome(desk);
  };
  expect(await at('http://127.0.0.1:1')).toBe(
    `ai_failed: the local AI server cannot be reached at 127.0.0.1:1 (ECONNREFUSED): start it there, or correct its address ${settings}`,
  );
  // As the settings file of somebody who edits it may have it.
  expect(await at('http://169.254.169.254')).toMatch(/^ai_endpoint_rejected: localEndpoint is 169\.254\.169\.254/);
});

verifies(
  'rest.ai-provider.words-untrusted',
  'words of a provider are shortened, visible, and never hold the key',
  async () => {
    await using desk = await openAiDesk();
    const key = desk.ai.keys.cloud_a;
    desk.choose('cloud_a', { models: { ...desk.settings.models, cloud_a: `x\u202e${key}\u0000${'y'.repeat(500)}` } });
    const said = await outcome(desk);
    expect(said).toMatch(/^ai_model_unknown: Anthropic does not offer the model/);
    const [, quote = ''] = /"(.*)"/.exec(said) ?? [];
    expect(quote).not.toContain(key);
    expect(quote.length).toBeLessThanOrEqual(200);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
    expect(said).not.toMatch(/[\u0000-\u001f\u202e]/);
  },
);
