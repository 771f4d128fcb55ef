// Numbers pairs of small whole numbers in the order they first appear: a hash table without an object for each entry.

export class PairTable {
  /** Pairs so far; their numbers are 0 … count - 1. */
  count = 0;
  /** The members of each pair, side by side. */
  #members = new Uint32Array(2048);
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
      if (this.#members[number * 2] === first && this.#members[number * 2 + 1] === second) {
        return number;
      }
      slot = (slot + 1) & mask;
    }
  }

  first(number: number): number {
    return this.#members[number * 2] as number;
  }

  second(number: number): number {
    return this.#members[number * 2 + 1] as number;
  }

  #add(slot: number, first: number, second: number): number {
    const number = this.count;
    this.count += 1;
    this.#members[number * 2] = first;
    this.#members[number * 2 + 1] = second;
    this.#slots[slot] = this.count;
    if (this.count * 2 === this.#members.length) {
      this.#grow();
    }
    return number;
  }

  #grow(): void {
    const members = new Uint32Array(this.count * 4);
    members.set(this.#members);
    this.#members = members;
    this.#slots = new Uint32Array(this.count * 4);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.count; number += 1) {
      let slot = hashOf(this.first(number), this.second(number)) & mask;
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
