// Which samples of memory are judged.
import type { Sample } from './watch-memory.ts';

/**
 * What a start, the first tables and the first questions of each kind need is not growth, nor is the code that is compiled
 * for them: the first half of the life that is judged, half an hour at most.
 */
const warmUpMs = { least: 720_000, most: 1_800_000 } as const;
/** A shorter life is not judged. */
export const leastLifeMs = 2 * warmUpMs.least;

/** Those of the longest life behind its warm-up; none when it is too short. */
export function selectJudged<S extends Pick<Sample, 'life' | 'ageMs'>>(samples: readonly S[]): S[] {
  const lives = [...Map.groupBy(samples, ({ life }) => life).values()];
  const ageOf = (life: readonly S[]) => life.at(-1)?.ageMs ?? 0;
  const longest = lives.sort((a, b) => ageOf(b) - ageOf(a))[0] ?? [];
  const warmMs = Math.min(warmUpMs.most, ageOf(longest) / 2);
  return warmMs < warmUpMs.least ? [] : longest.filter(({ ageMs }) => ageMs >= warmMs);
}

/** A thread that is at work does not answer, and one may be there for a moment: what all hold is only compared between equals. */
export function selectUsualThreads<S extends Pick<Sample, 'threads'>>(samples: readonly S[]): readonly S[] {
  const groups = [...Map.groupBy(samples, ({ threads }) => threads).values()];
  return groups.sort((a, b) => b.length - a.length)[0] ?? [];
}
