// Memory of typed arrays: grown, freed, and shared between threads.

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The same numbers in an array of `capacity` elements. */
export function withCapacity<A extends Column>(values: A, capacity: number): A {
  const longer = new (values.constructor as new (length: number) => A)(capacity);
  longer.set(values);
  return longer;
}

/** Frees the memory of an array at once: a garbage collector would let hundreds of megabytes wait. */
export function freeBuffer(values: Column): void {
  (values.buffer as ArrayBuffer).transfer(0);
}

export function sharedUint32(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

export function sharedUint8(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}
