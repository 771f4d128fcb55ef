// What a question is asked with besides its message, period and source: stored to recognise the same request later.
import { sha256 } from '#kernel/text/digest.ts';
import type { Language } from '../analysis/system-text.ts';

export interface AskedWith {
  language: Language;
  /** SHA-256 of the earlier analysis; null: there was none. */
  priorAnalysis: string | null;
  /** The preview whose facts were sent; null: the facts were read when it was asked. */
  previewId: string | null;
}

export function toAskedWith(
  { priorAnalysis = '', previewId }: { priorAnalysis?: string | undefined; previewId?: string | undefined },
  language: Language,
): AskedWith {
  return { language, priorAnalysis: priorAnalysis === '' ? null : sha256(priorAnalysis), previewId: previewId ?? null };
}
