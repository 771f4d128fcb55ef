// Nested ranges laid flat: one row of segments, each with the narrowest range that holds it.

export interface Flat<N> {
  /** Ascending; the first is the lowest address there is. A segment ends where the next one starts. */
  starts: N[];
  /** Of each segment the range, by its index; -1: none. */
  ranges: number[];
  /** Of each range the next wider one that holds it; -1: none. */
  parents: number[];
}

/**
 * `firsts` and `lasts` are the ends of ranges that ascend by their first address, wider before narrower; no two are
 * equal, and any two are nested or apart, as ranges of addresses are.
 */
export function flatten<N extends number | bigint>(
  firsts: readonly N[],
  lasts: readonly N[],
  zero: N,
  next: (value: N) => N,
): Flat<N> {
  const flat: Flat<N> = { starts: [zero], ranges: [-1], parents: [] };
  const open: number[] = [];
  const emit = (start: N, range: number) => {
    const last = flat.starts.length - 1;
    if (flat.starts[last] === start) {
      flat.ranges[last] = range;
    } else {
      flat.starts.push(start);
      flat.ranges.push(range);
    }
  };
  const close = (until: N | null) => {
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const last = lasts[top] as N;
      if (until !== null && last >= until) {
        return;
      }
      open.pop();
      emit(next(last), open.at(-1) ?? -1);
    }
  };
  for (let index = 0; index < firsts.length; index += 1) {
    const first = firsts[index] as N;
    close(first);
    flat.parents.push(open.at(-1) ?? -1);
    emit(first, index);
    open.push(index);
  }
  close(null);
  return flat;
}
