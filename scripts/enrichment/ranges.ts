// Lists of address ranges with a word each, brought to the form of the embedded data: starts that follow each other.

/** From `first` to `last`, both included. */
export interface AddressRange {
  first: bigint;
  last: bigint;
  word: string;
}

/** `starts[i]` begins a range that reaches to the next start; its word is number `values[i]`, 0 for none. */
export interface Flattened {
  starts: bigint[];
  values: number[];
}

/** Numbers of words, the most frequent first, so that most numbers are small. */
export function numberWords(words: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const ordered = [...counts].sort(([a, manyA], [b, manyB]) => manyB - manyA || (a < b ? -1 : 1));
  return new Map(ordered.map(([word], index) => [word, index + 1]));
}

/** `ranges` are ascending; where two overlap, what the first one holds stays its own. Equal neighbours become one. */
export function flatten(ranges: Iterable<AddressRange>, numbers: ReadonlyMap<string, number>): Flattened {
  const starts: bigint[] = [0n];
  const values: number[] = [0];
  let free = 0n;
  const push = (start: bigint, value: number) => {
    if (starts.at(-1) === start) {
      starts.pop();
      values.pop();
    }
    if (values.at(-1) !== value) {
      starts.push(start);
      values.push(value);
    }
  };
  for (const { first, last, word } of ranges) {
    const start = first > free ? first : free;
    if (start > last) {
      continue;
    }
    if (start > free) {
      push(free, 0);
    }
    push(start, numbers.get(word) ?? 0);
    free = last + 1n;
  }
  push(free, 0);
  return { starts, values };
}

/** The same ranges by their first 64 bits. */
export function* upperHalves(ranges: Iterable<AddressRange>): Generator<AddressRange> {
  for (const { first, last, word } of ranges) {
    yield { first: first >> 64n, last: last >> 64n, word };
  }
}
