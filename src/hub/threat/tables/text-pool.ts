// Many short texts as bytes in two arrays, which threads can share: no text is made before it is asked for.

export interface TextPool {
  bytes: Uint8Array;
  /** Text `i` lies from `ends[i - 1]` to `ends[i]`; text 0 is empty. */
  ends: Uint32Array;
}

export interface PoolBuilder {
  /** The number of a text; equal texts have one. For labels, of which there are few. */
  shared(text: string): number;
  /** The number of a text of its own. */
  own(text: string): number;
  build(): TextPool;
}

export function createPoolBuilder(): PoolBuilder {
  const texts = [''];
  const known = new Map<string, number>([['', 0]]);
  const own = (text: string) => (text === '' ? 0 : texts.push(text) - 1);
  return {
    own,
    shared(text) {
      const before = known.get(text);
      if (before !== undefined) {
        return before;
      }
      const number = own(text);
      known.set(text, number);
      return number;
    },
    build() {
      const joined = texts.join('');
      const all = Buffer.from(joined, 'utf8');
      const isAscii = all.length === joined.length;
      const bytes = new Uint8Array(new SharedArrayBuffer(all.length));
      bytes.set(all);
      const ends = sharedUint32(texts.length);
      let end = 0;
      for (const [index, text] of texts.entries()) {
        end += isAscii ? text.length : Buffer.byteLength(text, 'utf8');
        ends[index] = end;
      }
      return { bytes, ends };
    },
  };
}

export function textOf({ bytes, ends }: TextPool, index: number): string {
  const start = index === 0 ? 0 : (ends[index - 1] ?? 0);
  const end = ends[index] ?? start;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

export function sharedUint32(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

export function sharedUint8(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}
