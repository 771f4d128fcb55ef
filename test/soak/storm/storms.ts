// Storms by their seeds, one after the other.
import { print, printVerdict } from '../verdict.ts';
import { runStorm } from './storm.ts';

/** Resolves to the exit code: 0 when every storm left the hub as it must be, else 1. */
export async function runStorms({ first, count }: { first: number; count: number }): Promise<number> {
  const bad: number[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const isGood = await printVerdict(async () => {
      const { actions, restarts, refused, problems } = await runStorm(seed);
      const met = Object.entries(refused).map(([how, times]) => `${how} ${times}`);
      return { seed, problems, facts: [`${actions} actions`, `${restarts} restarts`, ...met] };
    });
    if (!isGood) {
      bad.push(seed);
    }
  }
  print(`${count - bad.length} of ${count} storms good${bad.length > 0 ? `; bad: ${bad.join(', ')}` : ''}`);
  return bad.length === 0 ? 0 : 1;
}
