// Sentences for the error codes of AI providers, each with what to do.
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.ts';
import { describeError, withEnglish } from '../parts/outcome.tsx';
import { words } from '../text/ai/words.ts';

const sentences = (): Readonly<Record<string, string>> => words.value.errors;

/** For a stored failure, of which only the code is known. */
export function describeFailure(code: string): string {
  return sentences()[code] ?? words.value.failedWith(code);
}

/** For these codes the message of the hub adds the HTTP status or the address. */
const hasMore = /failed|limited|rejected/;

export function describeAiError(error: ApiError): ComponentChildren {
  const known = sentences()[error.code];
  return known === undefined
    ? describeError(error)
    : hasMore.test(error.code)
      ? withEnglish(known, `(${error.message})`)
      : known;
}
