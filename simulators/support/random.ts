// Repeatable randomness for simulators: the same seed gives the same sequence on every machine.

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer in [from, to], both inclusive. */
  int(from: number, to: number): number;
  /** One element; throws on an empty list. */
  pick<T>(list: readonly T[]): T;
}

/**
 * Returns a 32-bit hash: FNV-1a over the text of `parts`, then the finaliser of MurmurHash3. It derives independent seeds
 * from one: `hash('host', seed)`, `hash('traffic', seed)`.
 */
export function hash(...parts: readonly (string | number)[]): number {
  let h = 0x811c9dc5;
  for (const part of parts) {
    const text = String(part);
    for (let i = 0; i < text.length; i++) {
      h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    }
    // The separator `|`: the parts `ab`, `c` must not give the hash of `a`, `bc`.
    h = Math.imul(h ^ 0x7c, 0x01000193);
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The mulberry32 generator; it uses the low 32 bits of `seed`. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    pick: (list) => {
      const found = list[int(0, list.length - 1)];
      if (found === undefined) {
        throw new Error('cannot pick from an empty list');
      }
      return found;
    },
  };
}
