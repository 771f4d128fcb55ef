// Binary search in ascending numbers.

type Ascending = Uint32Array | Float64Array;

/** The first index of `low` … `high - 1` whose number is at least `wanted`; `high` when there is none. */
export function lowerBound(values: Ascending, wanted: number, low = 0, high = values.length): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] as number) < wanted) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

/** The first index of `low` … `high - 1` whose number is above `wanted`; `high` when there is none. */
export function upperBound(values: Ascending, wanted: number, low = 0, high = values.length): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] as number) <= wanted) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}
