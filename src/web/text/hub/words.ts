// What the hub says in sentences. They are English; another language makes its own from the codes and values.
import type { Reply } from '../../api/client.ts';
import { percent } from '../format.ts';
import { createDictionary } from '../text.ts';
import { en, type HubWords } from './en.ts';

type Subject = Reply<'GET /api/coverage'>['subjects'][number];

export const hubWords = createDictionary<HubWords>(en, { ja: async () => (await import('./ja.ts')).ja });

export function describeGap({ reason, message }: Pick<Subject['gaps'][number], 'reason' | 'message'>): string {
  return hubWords.value.gaps[reason]?.replace(/。$/, '') ?? message;
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
