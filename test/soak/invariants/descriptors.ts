// Whether file descriptors are given back: the fewest in the last minutes are no more than the fewest in the first ones.

/** Connections, statements and threads that come and go with the load. */
const tolerance = 8;

/** Both are counts of descriptors, one a second. */
export function descriptorProblem(first: readonly number[], last: readonly number[]): string | null {
  if (first.length === 0 || last.length === 0) {
    return null;
  }
  const [before, after] = [Math.min(...first), Math.min(...last)];
  return after <= before + tolerance
    ? null
    : `the hub never had fewer than ${after} file descriptors of late, and ${before} in the beginning`;
}
