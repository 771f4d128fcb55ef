// What must hold for the output of every reader: finite numbers, own prototypes, bounded size, and where promised no
// character that a terminal would act on.

export interface Promises {
  isVisible?: boolean;
  growth?: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const unseen = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Cs}/u;

/** What is wrong with `output`, read from `bytes` bytes; null when nothing is. */
export function findFault(output: unknown, bytes: number, { isVisible = false, growth = 32 }: Promises): string | null {
  const most = 10_000 + growth * bytes;
  let size = 0;
  const walk = (value: unknown, depth: number): string | null => {
    size += 1;
    if (size > most) {
      return `the output is larger than ${growth} times the input`;
    }
    if (typeof value === 'string') {
      size += value.length;
      return isVisible && unseen.test(value) ? `the output holds ${JSON.stringify(value.slice(0, 200))}` : null;
    }
    if (typeof value === 'number') {
      return Number.isFinite(value) ? null : `the output holds the number ${value}`;
    }
    if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof URL) {
      return null;
    }
    if (ArrayBuffer.isView(value)) {
      size += value.byteLength;
      return null;
    }
    if (depth > 20_000) {
      return 'the output is nested without end';
    }
    if (!Array.isArray(value) && !(value instanceof Map || value instanceof Set) && hasForeignPrototype(value)) {
      return 'an object of the output has a prototype from the input';
    }
    for (const member of listMembers(value)) {
      const fault = walk(member, depth + 1);
      if (fault !== null) {
        return fault;
      }
    }
    return null;
  };
  const fault = walk(output, 0);
  for (const name in {}) {
    Reflect.deleteProperty(Object.prototype, name);
    return `Object.prototype has the new member ${name}`;
  }
  return fault ?? (size > most ? `the output is larger than ${growth} times the input` : null);
}

function* listMembers(value: object): Generator<unknown> {
  if (value instanceof Map) {
    for (const [key, member] of value) {
      yield key;
      yield member;
    }
  } else if (Array.isArray(value) || value instanceof Set) {
    yield* value;
  } else {
    yield* Object.values(value);
  }
}

/** A prototype that is neither of a class nor that of plain objects. */
function hasForeignPrototype(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return typeof prototype === 'object' && prototype !== null && !Object.hasOwn(prototype, 'constructor');
}
