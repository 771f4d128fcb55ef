// Sentences for the error codes of AI providers, each with what to do.
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.ts';
import { describeError, withEnglish } from '../parts/outcome.tsx';
import { describeReason } from '../parts/refusal.ts';
import { words } from '../text/ai/words.ts';
import { hubWords } from '../text/hub/words.ts';

const sentences = (): Readonly<Record<string, string>> => words.value.errors;

/** For a stored failure, of which only the code is known. */
export function describeFailure(code: string): string {
  return sentences()[code] ?? words.value.failedWith(code);
}

/** For these codes the hub says more: the HTTP status, the address, what to do with this provider. */
const hasMore = /failed|limited|rejected/;

/** The reason in the language of the page, or its general sentence and the reason as the hub says it. */
export function describeAiError(error: ApiError): ComponentChildren {
  const known = sentences()[error.code];
  if (known === undefined) {
    return describeError(error);
  }
  return hasMore.test(error.code)
    ? withEnglish(...(describeReason(error.details, hubWords.value) ?? ([known, `(${error.message})`] as const)))
    : known;
}
