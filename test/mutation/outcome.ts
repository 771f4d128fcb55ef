// Counts what a mutation run found, and says it.
import { oneLine, textAt } from './sample.ts';

/** What became of one change; in results lines and columns count from 1. */
interface Result {
  status: string;
  fileName: string;
  mutatorName: string;
  replacement?: string | undefined;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

export interface Outcome {
  killed: number;
  /** Changes that ran: without those that the program cannot start with. */
  tried: number;
  /** Per cent, whole. */
  score: number;
  survivors: Result[];
}

/** A change that makes the tests run out of time is seen; one that no test passes is not. */
export function outcomeOf(results: readonly Result[]): Outcome {
  const ran = results.filter(({ status }) => status !== 'RuntimeError');
  const survivors = ran.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const killed = ran.length - survivors.length;
  return {
    killed,
    tried: ran.length,
    score: ran.length === 0 ? 0 : Math.floor((100 * killed) / ran.length),
    survivors,
  };
}

/** One line: place, what was there, what was put there, and whether any test passes it. */
export function describeSurvivor(
  { status, location, mutatorName, replacement = '' }: Result,
  file: string,
  source: string,
): string {
  const { start, end } = location;
  const fromZero = ({ line, column }: typeof start) => ({ line: line - 1, column: column - 1 });
  const before = textAt(source.split('\n'), { start: fromZero(start), end: fromZero(end) }).slice(0, 120);
  const place = `${file}:${start.line}:${start.column}`;
  const unseen = status === 'NoCoverage' ? ' (no test passes here)' : '';
  return `${place} ${mutatorName}: ${before} → ${oneLine(replacement).slice(0, 120)}${unseen}`;
}

/** The outcome with the least score. */
export function worstOf<T extends { score: number }>(outcomes: readonly T[]): T {
  return outcomes.reduce((worst, one) => (one.score < worst.score ? one : worst));
}

/** The row of an area in docs/testing.md: the worst seed, and all that were tried. */
export function scoreRow(area: string, outcomes: readonly (Outcome & { seed: string })[], minutes: number): string {
  const { score, killed, tried, seed } = worstOf(outcomes);
  const seeds = outcomes.map((one) => one.seed).join(', ');
  return `| ${area} | ${score} % | ${killed} of ${tried} (seed ${seed}) | ${seeds} | ${Math.ceil(minutes)} min |`;
}
