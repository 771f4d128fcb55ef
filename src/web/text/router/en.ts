// English of what the hub says of a router, for words.ts: the hub's own sentences are shown.
import type { RouterNote } from '#contract/router-notes.ts';

export interface RouterWords {
  /** Why a router is not read, by failure class. */
  failures: Readonly<Record<string, string>>;
  /** Follows a failure after which the hub makes no further try. */
  waits: string;
  /** The table was not read to its end; `shown`: how many rows were. */
  incomplete?: (shown: string) => string;
  notes: { readonly [Code in RouterNote['code']]?: (note: Extract<RouterNote, { code: Code }>) => string };
}

export const en: RouterWords = { failures: {}, waits: '', notes: {} };
