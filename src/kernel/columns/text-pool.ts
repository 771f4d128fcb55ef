// Many short texts as bytes in two arrays, which threads can share; strings are decoded on demand. Characters that a
// screen does not show are replaced when a text is added.
import { visibleText } from '../text/visible-text.ts';
import { sharedUint8, sharedUint32, withCapacity } from './typed-array.ts';

export interface TextPool {
  bytes: Uint8Array;
  /** Text `i` lies from `ends[i - 1]` to `ends[i]`; text 0 is empty. */
  ends: Uint32Array;
}

export interface PoolBuilder {
  /** Returns the index of a text, and adds it only once. For labels, of which there are few. */
  intern(text: string): number;
  /** Adds a text and returns its index. */
  append(text: string): number;
  build(): TextPool;
}

export function createPoolBuilder(): PoolBuilder {
  let bytes = Buffer.alloc(65_536);
  let ends = new Uint32Array(4096);
  let count = 1;
  let size = 0;
  const known = new Map<string, number>([['', 0]]);
  const append = (text: string) => {
    if (text === '') {
      return 0;
    }
    const most = size + text.length * 3;
    if (most > bytes.length) {
      bytes = Buffer.concat([bytes], Math.max(most, bytes.length * 2));
    }
    if (count === ends.length) {
      ends = withCapacity(ends, ends.length * 2);
    }
    size = written(bytes, size, text);
    ends[count] = size;
    count += 1;
    return count - 1;
  };
  return {
    append,
    intern(text) {
      const before = known.get(text);
      if (before !== undefined) {
        return before;
      }
      const number = append(text);
      known.set(text, number);
      return number;
    },
    build: () => ({ bytes: bytes.subarray(0, size), ends: ends.subarray(0, count) }),
  };
}

/** Writes the visible form of `text` at `start` and returns its end. ASCII is written without a call per text. */
function written(bytes: Buffer, start: number, text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 32 || code > 126) {
      return start + bytes.write(visibleText(text, text.length), start, 'utf8');
    }
    bytes[start + at] = code;
  }
  return start + text.length;
}

export interface JoinedPools {
  texts: TextPool;
  /** The offset of the numbers of each pool; 0 stays 0. */
  offsets: readonly number[];
}

export function joinPools(pools: readonly TextPool[]): JoinedPools {
  const texts = {
    bytes: sharedUint8(pools.reduce((sum, { bytes }) => sum + bytes.length, 0)),
    ends: sharedUint32(pools.reduce((sum, { ends }) => sum + ends.length - 1, 1)),
  };
  const offsets: number[] = [];
  let count = 1;
  let size = 0;
  for (const { bytes, ends } of pools) {
    offsets.push(count - 1);
    texts.bytes.set(bytes, size);
    for (let index = 1; index < ends.length; index += 1) {
      texts.ends[count] = size + (ends[index] ?? 0);
      count += 1;
    }
    size += bytes.length;
  }
  return { texts, offsets };
}

export function readText({ bytes, ends }: TextPool, index: number): string {
  const start = findStart(ends, index);
  const end = ends[index] ?? start;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

/** Whether text `a` of one pool equals text `b` of another, without decoding. */
export function isSameText(left: TextPool, a: number, right: TextPool, b: number): boolean {
  const start = findStart(left.ends, a);
  const length = (left.ends[a] ?? 0) - start;
  const other = findStart(right.ends, b);
  if (length !== (right.ends[b] ?? 0) - other) {
    return false;
  }
  for (let at = 0; at < length; at += 1) {
    if (left.bytes[start + at] !== right.bytes[other + at]) {
      return false;
    }
  }
  return true;
}

export function findStart(ends: Uint32Array, index: number): number {
  return index === 0 ? 0 : (ends[index - 1] ?? 0);
}
