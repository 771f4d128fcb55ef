// What a provider does instead of answering, as errors that say what happened and what to do.
import { AppError } from '#kernel/errors.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { providerTitles } from '../choice.ts';
import type { Target } from './provider.ts';

/** Where a request went; `key` is there to be removed from quotes. */
export type Recipient = Pick<Target, 'provider' | 'model' | 'key'>;

export const inSettings = 'in the settings, under AI providers';
const longestQuote = 200;

/** Words of a provider for a message: untrusted, shortened, without the key; empty when it said none. */
export function quoteProvider({ key }: Pick<Recipient, 'key'>, words: unknown): string {
  const text = typeof words === 'string' ? words.trim() : '';
  const safe = key === '' ? text : text.replaceAll(key, '…');
  return safe === '' ? '' : `: "${visibleText(safe, longestQuote, ' ')}"`;
}

/** The message is `PROVIDER what: remedy`. */
export function createFailedError(recipient: Recipient, what: string, remedy: string, cause?: unknown): AppError {
  return new AppError('ai_failed', `${providerTitles[recipient.provider]} ${what}: ${remedy}`, { cause });
}

export function createKeyRejectedError(recipient: Recipient, status: number): AppError {
  const sentence =
    recipient.provider === 'local'
      ? `the local AI server asks for a key (${status}), and the hub sends it none: let it answer without one`
      : status === 403
        ? `${providerTitles[recipient.provider]} does not allow the stored key to do this (403): give the key the permission, or save another one ${inSettings}`
        : `${providerTitles[recipient.provider]} refused the stored key (${status}): save a valid one ${inSettings}`;
  return new AppError('ai_key_rejected', sentence);
}

/** `retryAfterMs` as the provider said it; null when it did not. */
export function createLimitedError(recipient: Recipient, retryAfterMs: number | null, words: unknown = ''): AppError {
  const when = retryAfterMs === null ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`;
  return new AppError(
    'ai_limited',
    `${providerTitles[recipient.provider]} answers no more requests for now${quoteProvider(recipient, words)}: try again ${when}`,
    { details: retryAfterMs === null ? {} : { retryAfterMs } },
  );
}

export function createQuotaError(recipient: Recipient): AppError {
  return new AppError(
    'ai_limited',
    `the account at ${providerTitles[recipient.provider]} has used up what it paid for: look at its plan and its invoices there`,
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
    return createFailedError(recipient, 'answered without a text', 'ask again, or choose another model');
  }
  // Services reject a prompt that is too long; a local server may cut it without saying so.
  if (output !== null ? output <= fewTokens : recipient.provider === 'local') {
    return createPromptCutError(recipient);
  }
  // A model that thinks first may spend the whole limit on its thoughts.
  const what = 'used up the length of its answer before the answer began';
  return createFailedError(recipient, what, 'choose a model that does not think first, or one that thinks less');
}
