// What the hub says in sentences. They are English; another language makes its own from the codes and values.
import type { Reply } from '../../api/client.ts';
import { number, percent } from '../format.ts';
import { createDictionary } from '../text.ts';
import { en, type HubWords } from './en.ts';

type Subject = Reply<'GET /api/coverage'>['subjects'][number];

export const hubWords = createDictionary<HubWords>(en, { ja: async () => (await import('./ja.ts')).ja });

export function describeGap({ reason, message }: Pick<Subject['gaps'][number], 'reason' | 'message'>): string {
  return hubWords.value.gaps[reason]?.replace(/。$/, '') ?? message;
}

/** What is wrong with a field: a sentence, and in English what only the hub's `reason` says. */
export function describeProblem(problem: unknown, reason: string): [sentence: string, detail: string] {
  const { problems, problem: other } = hubWords.value;
  const { code, limit, unit } = (problem ?? {}) as { code?: string; limit?: number; unit?: string | null };
  const sentence = problems[code ?? '']?.(number(limit ?? 0), unit ?? null);
  return sentence === undefined && other !== undefined ? [other, `(${reason})`] : [sentence ?? reason, ''];
}

/** What a subject does not see: the hub's sentences where this language has no words of its own. */
export function describeBlindSpots({ cannotSee, blindSpots }: Subject): readonly string[] {
  const { blindSpots: sentences, about } = hubWords.value;
  const described = blindSpots.flatMap(({ code, share }) => {
    const sentence = sentences[code];
    return sentence === undefined ? [] : [`${sentence}${share === null ? '' : (about?.(percent(share)) ?? '')}`];
  });
  return described.length < cannotSee.length ? cannotSee : described;
}
