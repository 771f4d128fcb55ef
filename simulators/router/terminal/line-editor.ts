// What typed bytes mean: characters, line ends and control keys. Pure; the terminal decides what to echo and do.

export type Key =
  | { kind: 'character'; byte: number }
  | { kind: 'end' }
  | { kind: 'erase' }
  | { kind: 'kill' }
  | { kind: 'interrupt' }
  | { kind: 'stop' }
  | { kind: 'resume' };

const control: Readonly<Record<number, Key>> = {
  3: { kind: 'interrupt' },
  8: { kind: 'erase' },
  13: { kind: 'end' },
  10: { kind: 'end' },
  17: { kind: 'resume' },
  19: { kind: 'stop' },
  21: { kind: 'kill' },
  127: { kind: 'erase' },
};

/**
 * Returns a reader of typed bytes. With `each`, every CR and every LF ends a line, so CR LF ends two; with `once`
 * the LF of a CR LF is swallowed. Escape sequences (arrow keys) and other control bytes mean nothing.
 */
export function createKeyReader(lineEnds: 'each' | 'once'): (bytes: Uint8Array) => readonly Key[] {
  let afterCr = false;
  let sequence: 'no' | 'start' | 'sequence' = 'no';
  const read = (byte: number): Key | null => {
    const swallowed = lineEnds === 'once' && afterCr && byte === 10;
    afterCr = byte === 13;
    if (swallowed) {
      return null;
    }
    if (sequence === 'start') {
      sequence = byte === 0x5b || byte === 0x4f ? 'sequence' : 'no';
      return null;
    }
    if (sequence === 'sequence') {
      sequence = byte >= 0x40 && byte <= 0x7e ? 'no' : 'sequence';
      return null;
    }
    if (byte === 27) {
      sequence = 'start';
      return null;
    }
    return control[byte] ?? (byte < 32 ? null : { kind: 'character', byte });
  };
  return (bytes) => {
    const keys: Key[] = [];
    for (const byte of bytes) {
      const key = read(byte);
      if (key) {
        keys.push(key);
      }
    }
    return keys;
  };
}
