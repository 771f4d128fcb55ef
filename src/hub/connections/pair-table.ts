// Numbers pairs of small whole numbers in the order they first appear: a hash table without an object for each entry.

export class PairTable {
  /** Pairs so far; their numbers are 0 … count - 1. */
  count = 0;
  /** Of each pair by its number. */
  first = new Uint32Array(1024);
  second = new Uint32Array(1024);
  /** Number plus one of the pair in each slot; 0 is free. At most half of them are taken. */
  #slots = new Uint32Array(2048);

  /** The number of (`first`, `second`), given out on first sight. */
  numberOf(first: number, second: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(first, second) & mask;
    for (;;) {
      const number = (this.#slots[slot] as number) - 1;
      if (number < 0) {
        return this.#add(slot, first, second);
      }
      if (this.first[number] === first && this.second[number] === second) {
        return number;
      }
      slot = (slot + 1) & mask;
    }
  }

  #add(slot: number, first: number, second: number): number {
    const number = this.count;
    this.count += 1;
    this.first[number] = first;
    this.second[number] = second;
    this.#slots[slot] = this.count;
    if (this.count === this.first.length) {
      this.#grow();
    }
    return number;
  }

  #grow(): void {
    const room = this.count * 2;
    this.first = enlarged(this.first, room);
    this.second = enlarged(this.second, room);
    this.#slots = new Uint32Array(room * 2);
    const mask = room * 2 - 1;
    for (let number = 0; number < this.count; number += 1) {
      let slot = hashOf(this.first[number] as number, this.second[number] as number) & mask;
      while (this.#slots[slot] !== 0) {
        slot = (slot + 1) & mask;
      }
      this.#slots[slot] = number + 1;
    }
  }
}

function hashOf(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) + Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

function enlarged(values: Uint32Array<ArrayBuffer>, room: number): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(room);
  more.set(values);
  return more;
}
