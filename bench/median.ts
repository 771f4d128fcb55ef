// Several runs of the same measurements brought to one: the median of every number.
import { quantile } from '../test/support/health-probe.ts';

/** Rows that agree in the columns `by` become one row, in order of first appearance. */
export function mergeByMedian<R extends object>(rows: readonly R[], by: readonly string[]): R[] {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const key = by.map((name) => String(row[name as keyof R])).join('\n');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [merged(first, group)] : [];
  });
}

function merged<R extends object>(first: R, group: readonly R[]): R {
  const cells = Object.entries(first).map(([name, value]) => [
    name,
    typeof value === 'number'
      ? quantile(
          group.map((row) => Number(row[name as keyof R])),
          0.5,
        )
      : value,
  ]);
  return Object.fromEntries(cells) as R;
}
