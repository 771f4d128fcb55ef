// The storage format of session starts: two bytes each, in slots of six hours.

export const slotMs = 21_600_000;

export interface Start {
  /** Epoch milliseconds, whole seconds. */
  at: number;
  /** Exact to the second; else the poll that first showed the session. */
  isExact: boolean;
}

export function toSlot(at: number): number {
  return Math.floor(at / slotMs);
}

/** The 16-bit word of a start within its slot. */
export function packStart({ at, isExact }: Start): number {
  return Math.floor((at % slotMs) / 1000) * 2 + (isExact ? 1 : 0);
}

export function unpackStarts(slot: number, packed: Uint8Array): Start[] {
  const starts: Start[] = [];
  for (let index = 0; index + 1 < packed.length; index += 2) {
    const word = (packed[index] ?? 0) + (packed[index + 1] ?? 0) * 256;
    starts.push({ at: slot * slotMs + (word >> 1) * 1000, isExact: (word & 1) === 1 });
  }
  return starts;
}

export function appendWord(packed: Uint8Array, word: number): Uint8Array {
  const longer = new Uint8Array(packed.length + 2);
  longer.set(packed);
  longer[packed.length] = word & 0xff;
  longer[packed.length + 1] = word >> 8;
  return longer;
}
