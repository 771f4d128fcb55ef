// Changes to a JSON document that leave it JSON: a value, a name or a list becomes another one.
import type { Numbers } from './mutate.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const values: readonly Json[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -0, 2 ** 53, 65_536, 4_102_444_800_000],
  ...['', ' ', '\u0000', '\u202e', '\ud800', '\u{1f600}', '\r\n', '\u001b[2J', 'x'.repeat(300)],
  ...'a 0 -1 NaN __proto__ constructor 203.0.113.5 2001:db8::1 00:00:5e:00:53:01 2026-03-01T12:00:00Z'.split(' '),
  ...'1970-01-01 9999-12-31T23:59:60Z https://example.org/ javascript:1'.split(' '),
];
const made: readonly (() => Json)[] = [
  () => [],
  () => ({}),
  () => [[]],
  () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  () => Array.from({ length: 300 }, () => null),
  () => ({ toString: 1, length: -1, hasOwnProperty: 'x' }),
  () => JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`),
];
const names = ['__proto__', 'constructor', 'toString', '', 'a', 'length', '0', '\u0000'];

/** The document `text` after one change; `text` itself when it is no JSON. */
export function applyJsonChange(text: string, [, a, b, c]: Numbers): string {
  let document: Json;
  try {
    document = JSON.parse(text);
  } catch {
    return text;
  }
  const places: { holder: Json[] | Record<string, Json>; name: string }[] = [];
  const collect = (value: Json) => {
    if (typeof value === 'object' && value !== null && places.length < 2000) {
      for (const name of Object.keys(value)) {
        places.push({ holder: value as Record<string, Json>, name });
        collect((value as Record<string, Json>)[name] ?? null);
      }
    }
  };
  collect(document);
  const place = places[a % Math.max(1, places.length)];
  if (place === undefined) {
    return JSON.stringify(valueAt(b));
  }
  const other = places[c % places.length];
  change(
    place.holder as Record<string, Json>,
    place.name,
    b,
    other && (other.holder as Record<string, Json>)[other.name],
  );
  return JSON.stringify(document);
}

function change(holder: Record<string, Json>, name: string, b: number, other: Json | undefined): void {
  const before = holder[name] ?? null;
  const set = (member: string, value: Json) =>
    Object.defineProperty(holder, member, { value, enumerable: true, configurable: true, writable: true });
  switch (b % 8) {
    case 0:
      Reflect.deleteProperty(holder, name);
      break;
    case 1:
      set(Array.isArray(holder) ? String(holder.length) : (names[(b >> 3) % names.length] ?? ''), before);
      break;
    case 2:
      set(name, [before, before]);
      break;
    case 3:
      // A copy: a document that holds itself is no JSON.
      set(name, JSON.parse(JSON.stringify(other ?? null)));
      break;
    case 4:
      set(
        name,
        typeof before === 'string'
          ? before + String(values[(b >> 3) % values.length])
          : (JSON.stringify(before) ?? '').slice(0, 200),
      );
      break;
    default:
      set(name, valueAt(b >> 3));
  }
}

function valueAt(number: number): Json {
  const at = number % (values.length + made.length);
  return at < values.length ? (values[at] ?? null) : (made[at - values.length]?.() ?? null);
}
