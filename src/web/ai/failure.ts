// Why a provider did not answer, in words by the code, with what to do.
import type { ApiError } from '../api/client.ts';
import { describeError } from '../parts/outcome.tsx';
import { words } from '../text/ai/words.ts';

const sentences = (): Readonly<Record<string, string>> => words.value.errors;

/** Of a failure that was stored with its code alone. */
export function describeFailure(code: string): string {
  return sentences()[code] ?? words.value.failedWith(code);
}

/** Where the hub says more than the code: which status, which address. */
const hasMore = /failed|limited|rejected/;

export function describeAiError(error: ApiError): string {
  const known = sentences()[error.code];
  return known === undefined ? describeError(error) : hasMore.test(error.code) ? `${known} (${error.message})` : known;
}
