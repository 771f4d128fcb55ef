// Flattens nested ranges into consecutive segments, each with the narrowest range that contains it.

export interface Flat<N> {
  /** Ascending; the first is the lowest address there is. A segment ends where the next one starts. */
  starts: Writable<N>;
  /** Index of the range of each segment; -1: none. */
  ranges: Int32Array;
  /** The next wider range around each range; -1: none. */
  parents: Int32Array;
  segments: number;
}

/** An array of any kind. */
export interface Writable<N> {
  [index: number]: N;
}

/**
 * `firsts` and `lasts` are the ends of `count` ranges that ascend by their first address, wider before narrower; all are
 * distinct, and any two are nested or disjoint, as CIDR ranges are. `starts` receives at most twice as many
 * elements and one.
 */
export function flatten<N extends number | bigint>(
  count: number,
  firsts: ArrayLike<N>,
  lasts: ArrayLike<N>,
  starts: Writable<N>,
  zero: N,
  next: (value: N) => N,
): Flat<N> {
  const ranges = new Int32Array(count * 2 + 1);
  const parents = new Int32Array(count);
  const open: number[] = [];
  let segments = 1;
  starts[0] = zero;
  ranges[0] = -1;
  const emit = (start: N, range: number) => {
    segments += starts[segments - 1] === start ? 0 : 1;
    starts[segments - 1] = start;
    ranges[segments - 1] = range;
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
  for (let index = 0; index < count; index += 1) {
    const first = firsts[index] as N;
    close(first);
    parents[index] = open.at(-1) ?? -1;
    emit(first, index);
    open.push(index);
  }
  close(null);
  return { starts, ranges, parents, segments };
}
