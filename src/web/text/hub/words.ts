// What the hub says in sentences. They are English; another language makes its own from the codes and values.
import type { RouterNote } from '#contract/router-notes.ts';
import type { Reply } from '../../api/client.ts';
import { dateTime, duration, number, percent } from '../format.ts';
import { createDictionary } from '../text.ts';
import { en, type HubWords } from './en.ts';

type Connection = Reply<'GET /api/connections/:id'>;
type Retro = NonNullable<NonNullable<Connection['threatEvidence']>['retro']>;
type LongRange = Reply<'GET /api/connections/summary'>['longRange'];
type Subject = Reply<'GET /api/coverage'>['subjects'][number];

export const hubWords = createDictionary<HubWords>(en, { ja: async () => (await import('./ja.ts')).ja });

export function describeGap({ reason, message }: Pick<Subject['gaps'][number], 'reason' | 'message'>): string {
  return hubWords.value.gaps[reason]?.replace(/。$/, '') ?? message;
}

export function describeRetro({ cause, previousAt, seenBeforeMs, message }: Retro): string {
  return hubWords.value.retro?.(cause, previousAt !== null, duration(seenBeforeMs)) ?? `${message}.`;
}

export function describeLongRange(long: NonNullable<LongRange>): string {
  return hubWords.value.longRange?.(long.until === null ? null : dateTime(long.until)) ?? long.message;
}

/** The way of a connection over the routers, as a text. */
export function describePath({ state, hops, doubleNat, message }: Connection['path']): string {
  const w = hubWords.value.path;
  const names = hops.map(({ name, routerId }) => name ?? routerId);
  if (w === undefined || state === 'none') {
    return w?.none ?? message;
  }
  if (state === 'unknown') {
    return w.unknown(names.join('、'));
  }
  const steps = hops.map(({ inside, outside, connectionsTotal }, index) =>
    w.hop(names[index] ?? '', inside?.address ?? w.several(number(connectionsTotal)), outside?.address ?? null),
  );
  return `${steps.join('、')}${w.doubleNat[doubleNat] ?? ''}`;
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

/** A note of a router; `sentence`: the same in English. */
export function describeNote(note: RouterNote, sentence: string): string {
  const describe = hubWords.value.routers.notes[note.code] as ((one: RouterNote) => string) | undefined;
  return describe?.(note) ?? sentence;
}
