// How the use of tokens is told, or told wrongly.
import type { TakeFault } from './faults.ts';

type Told = { [name: string]: unknown };

/** The member of the answer that tells it: `{}` when it is missing, with other values when it is malformed. */
export function reportUsage(usage: Told, take: TakeFault): { usage?: Told } {
  if (take('usage-missing')) {
    return {};
  }
  const malformed = take('usage-malformed');
  return { usage: malformed ? malform(usage, String(malformed.value ?? 'negative')) : usage };
}

function malform(usage: Told, how: string): Told {
  const wrong = (count: number) => {
    const values: Readonly<Record<string, unknown>> = { '1e300': 1e300, text: 'many', fraction: count + 0.5 };
    return values[`${Number(how) === 1e300 ? '1e300' : how}`] ?? -count - 1;
  };
  return Object.fromEntries(
    Object.entries(usage).map(([name, value]) => [
      name,
      typeof value === 'number'
        ? wrong(value)
        : typeof value === 'object'
          ? malform((value ?? {}) as Told, how)
          : value,
    ]),
  );
}
