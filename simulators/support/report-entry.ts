// What happens in a simulator, as lines for people.
import type { Entry } from './simulator.ts';

/** Prints an entry of the journal. Key strokes at the pager stay in the journal: they are too many. */
export function reportEntry(name: string, { at: _at, kind: event, ...details }: Entry): void {
  if (event !== 'pager-key') {
    const rest = Object.entries(details).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    process.stderr.write(`${[name, event, ...rest].join(' ')}\n`);
  }
}
