// What a provider does instead of answering, as errors that say what happened and what to do.
import { AppError } from '#kernel/errors.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { providerTitles } from '../choice.ts';
import type { Target } from './provider.ts';

export type Whom = Pick<Target, 'provider' | 'model' | 'key'>;

export const inSettings = 'in the settings, under AI providers';
const longestQuote = 200;

/** Words of a provider for a message: untrusted, shortened, without the key; empty when it said none. */
export function quoteProvider({ key }: Pick<Whom, 'key'>, words: unknown): string {
  const text = typeof words === 'string' ? words.trim() : '';
  const safe = key === '' ? text : text.replaceAll(key, '…');
  return safe === '' ? '' : `: "${visibleText(safe, longestQuote, ' ')}"`;
}

/** `what` follows the name of the provider, `remedy` a colon. */
export function createFailedError(whom: Whom, what: string, remedy: string, cause?: unknown): AppError {
  return new AppError('ai_failed', `${providerTitles[whom.provider]} ${what}: ${remedy}`, { cause });
}

export function createKeyRejectedError(whom: Whom, status: number): AppError {
  const sentence =
    whom.provider === 'local'
      ? `the local AI server asks for a key (${status}), and the hub sends it none: let it answer without one`
      : status === 403
        ? `${providerTitles[whom.provider]} does not allow the stored key to do this (403): give the key the permission, or save another one ${inSettings}`
        : `${providerTitles[whom.provider]} refused the stored key (${status}): save a valid one ${inSettings}`;
  return new AppError('ai_key_rejected', sentence);
}

/** `retryAfterMs` as the provider said it; null when it did not. */
export function createLimitedError(whom: Whom, retryAfterMs: number | null, words: unknown = ''): AppError {
  const when = retryAfterMs === null ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`;
  return new AppError(
    'ai_limited',
    `${providerTitles[whom.provider]} answers no more requests for now${quoteProvider(whom, words)}: try again ${when}`,
    { details: retryAfterMs === null ? {} : { retryAfterMs } },
  );
}

export function createQuotaError(whom: Whom): AppError {
  return new AppError(
    'ai_limited',
    `the account at ${providerTitles[whom.provider]} has used up what it paid for: look at its plan and its invoices there`,
  );
}

export function createModelUnknownError(whom: Whom, words: unknown = ''): AppError {
  const remedy = whom.provider === 'local' ? `load it there, or correct model or address` : `choose another one`;
  return new AppError(
    'ai_model_unknown',
    `${providerTitles[whom.provider]} does not offer the model ${visibleText(whom.model, longestQuote)}${quoteProvider(whom, words)}: ${remedy} ${inSettings}`,
  );
}

export function createTimeoutError(whom: Pick<Whom, 'provider'>, ms: number): AppError {
  return new AppError(
    'ai_timeout',
    `${providerTitles[whom.provider]} did not answer within ${ms / 1000} s: try again, or choose a shorter period or a faster model`,
  );
}

/** `by`: who declined, as the begin of the sentence; the provider when absent. */
export function createAnswerRefusedError(whom: Whom, by?: string, remedy?: string): AppError {
  return new AppError(
    'ai_answer_refused',
    `${by ?? `the model of ${providerTitles[whom.provider]} declined to answer`}: ${remedy ?? 'ask about another period, or choose another model'}`,
  );
}

export function createAnswerFilteredError(whom: Whom): AppError {
  return createAnswerRefusedError(whom, `a filter of ${providerTitles[whom.provider]} withheld the answer`);
}

export function createPromptCutError(whom: Whom, words: unknown = ''): AppError {
  const remedy =
    whom.provider === 'local'
      ? 'raise its context length (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile; LM Studio and llama.cpp: the context length with which the model is loaded)'
      : 'choose a shorter period, or a model that reads longer texts';
  return new AppError(
    'ai_prompt_cut',
    `${providerTitles[whom.provider]} did not read the whole question${quoteProvider(whom, words)}, so its answer is not shown: ${remedy}`,
  );
}

/** Tokens of the output up to which an answer that ended at its limit did not begin because nothing was left for it. */
const hardlyAny = 16;

/** What an answer without a text means. `output`: its tokens; null when they are not known. */
export function createNoTextError(whom: Whom, isAtLimit: boolean, output: number | null): AppError {
  if (!isAtLimit) {
    return createFailedError(whom, 'answered without a text', 'ask again, or choose another model');
  }
  if (output !== null ? output <= hardlyAny : whom.provider === 'local') {
    return createPromptCutError(whom);
  }
  // Such models think first.
  const what = 'used up the length of its answer before the answer began';
  return createFailedError(whom, what, 'choose a model that does not think first, or one that thinks less');
}
