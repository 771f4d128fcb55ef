// What a provider does instead of answering, as errors that say what happened and what to do.
import type { Fact, FactCode } from '#contract/facts.ts';
import { AppError } from '#kernel/errors.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { createFact, createRefusal } from '../../../base/refusals.ts';
import { providerTitles } from '../choice.ts';
import type { Target } from './provider.ts';

/** Where a request went; `key` is there to be removed from quotes. */
export type Recipient = Pick<Target, 'provider' | 'model' | 'key'>;

export const inSettings = 'in the settings, under AI providers';
const longestQuote = 200;

/** Returns what a provider said, which is untrusted, shortened and without the key; empty when it said nothing. */
function readWords({ key }: Pick<Recipient, 'key'>, words: unknown): string {
  const text = typeof words === 'string' ? words.trim() : '';
  return visibleText(key === '' ? text : text.replaceAll(key, '…'), longestQuote, ' ');
}

/** Returns the same in quotation marks, to follow a sentence; empty when it said nothing. */
export function quoteProvider(recipient: Pick<Recipient, 'key'>, words: unknown): string {
  const safe = readWords(recipient, words);
  return safe === '' ? '' : `: "${safe}"`;
}

/** A reason of a refusal, for a page in another language. A service is named, the local server is not. */
export function createReason(
  { provider, key }: Recipient,
  code: FactCode,
  values: Fact['values'] = {},
  words?: unknown,
): Fact {
  const detail = readWords({ key }, words);
  const name = provider === 'local' ? {} : { provider: providerTitles[provider] };
  return createFact(code, { ...name, ...values, ...(detail === '' ? {} : { detail }) });
}

/** What a provider did instead of answering. */
export interface ProviderFault {
  code: FactCode;
  values?: Fact['values'];
  /** Follows the name of the provider. */
  what: string;
  /** What the provider said, which follows `what`. */
  words?: unknown;
}

/** The message is `PROVIDER what: remedy`. */
export function createFailedError(
  recipient: Recipient,
  fault: ProviderFault,
  remedy: string,
  cause?: unknown,
): AppError {
  const { code, values, what, words } = fault;
  const message = `${providerTitles[recipient.provider]} ${what}${quoteProvider(recipient, words)}: ${remedy}`;
  return createRefusal('ai_failed', message, [createReason(recipient, code, values, words)], { cause });
}

export function createKeyRejectedError(recipient: Recipient, status: number): AppError {
  const title = providerTitles[recipient.provider];
  const [code, sentence]: [FactCode, string] =
    recipient.provider === 'local'
      ? [
          'ai_key_asked',
          `the local AI server asks for a key (${status}), and the hub sends it none: let it answer without one`,
        ]
      : status === 403
        ? [
            'ai_key_not_allowed',
            `${title} does not allow the stored key to do this (403): give the key the permission, or save another one ${inSettings}`,
          ]
        : ['ai_key_refused', `${title} refused the stored key (${status}): save a valid one ${inSettings}`];
  return createRefusal('ai_key_rejected', sentence, [createReason(recipient, code, { status })]);
}

/** `retryAfterMs` as the provider said it; null when it did not. */
export function createLimitedError(recipient: Recipient, retryAfterMs: number | null, words: unknown = ''): AppError {
  const seconds = retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000);
  const when = seconds === null ? 'later' : `in ${seconds} s`;
  return createRefusal(
    'ai_limited',
    `${providerTitles[recipient.provider]} answers no more requests for now${quoteProvider(recipient, words)}: try again ${when}`,
    [createReason(recipient, 'ai_requests_limited', seconds === null ? {} : { seconds }, words)],
    { details: retryAfterMs === null ? {} : { retryAfterMs } },
  );
}

export function createQuotaError(recipient: Recipient): AppError {
  return createRefusal(
    'ai_limited',
    `the account at ${providerTitles[recipient.provider]} has used up what it paid for: look at its plan and its invoices there`,
    [createReason(recipient, 'ai_quota_used')],
  );
}

export function createModelUnknownError(recipient: Recipient, words: unknown = ''): AppError {
  const remedy = recipient.provider === 'local' ? `load it there, or correct model or address` : `choose another one`;
  return new AppError(
    'ai_model_unknown',
    `${providerTitles[recipient.provider]} does not offer the model ${visibleText(recipient.model, longestQuote)}${quoteProvider(recipient, words)}: ${remedy} ${inSettings}`,
  );
}

export function createTimeoutError(recipient: Pick<Recipient, 'provider'>, ms: number): AppError {
  return new AppError(
    'ai_timeout',
    `${providerTitles[recipient.provider]} did not answer within ${ms / 1000} s: try again, or choose a shorter period or a faster model`,
  );
}

/** `refusal` says who declined; without it, the message names the model of the provider. */
export function createAnswerRefusedError(recipient: Recipient, refusal?: string, remedy?: string): AppError {
  return new AppError(
    'ai_answer_refused',
    `${refusal ?? `the model of ${providerTitles[recipient.provider]} declined to answer`}: ${remedy ?? 'ask about another period, or choose another model'}`,
  );
}

export function createAnswerFilteredError(recipient: Recipient): AppError {
  return createAnswerRefusedError(recipient, `a filter of ${providerTitles[recipient.provider]} withheld the answer`);
}

export function createPromptCutError(recipient: Recipient, words: unknown = ''): AppError {
  const remedy =
    recipient.provider === 'local'
      ? 'raise its context length (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile; LM Studio and llama.cpp: the context length with which the model is loaded)'
      : 'choose a shorter period, or a model that reads longer texts';
  return new AppError(
    'ai_prompt_cut',
    `${providerTitles[recipient.provider]} did not read the whole question${quoteProvider(recipient, words)}, so its answer is not shown: ${remedy}`,
  );
}

/** An answer that ends at its limit after so few tokens had no room: the prompt filled the context. An estimate. */
const fewTokens = 16;

/** Explains an answer without a text. `output`: its tokens; null when they are not known. */
export function createNoTextError(recipient: Recipient, isAtLimit: boolean, output: number | null): AppError {
  if (!isAtLimit) {
    const fault: ProviderFault = { code: 'ai_no_text', what: 'answered without a text' };
    return createFailedError(recipient, fault, 'ask again, or choose another model');
  }
  // Services reject a prompt that is too long; a local server may cut it without saying so.
  if (output !== null ? output <= fewTokens : recipient.provider === 'local') {
    return createPromptCutError(recipient);
  }
  // A model that thinks first may spend the whole limit on its thoughts.
  const what = 'used up the length of its answer before the answer began';
  const remedy = 'choose a model that does not think first, or one that thinks less';
  return createFailedError(recipient, { code: 'ai_only_thoughts', what }, remedy);
}
