// Changes to a text of bytes (one character a byte): what damages, repeats or mixes inputs. Pure: the same numbers make
// the same input, so that fast-check can shrink them.

/** What a change may draw from. */
export interface Material {
  /** Other inputs. */
  seeds: readonly string[];
  words: readonly string[];
}

const toBytes = (text: string) => Buffer.from(text).toString('latin1');
const words = (text: string) => text.split(' ');

/** What readers trip over, whatever they read. */
const nasty = [
  ...['', '\0', '\r', '\n', '\r\n', '\t', '\x1b[2J', '\x07', '\b', '\x7f', '\u0085', '\u2028', '\u202e', '\u200b'],
  ...['\ufeff', '\ufffd', '\u{1f600}', 'e\u0301', '\u00a0', '\\u0000'],
  ...words('é İ ß ０ ： " \' \\ %00 -1 0 00 -0 1e999 -1e999 NaN Infinity 65535 65536 4294967295 4294967296 0x1f .5 5.'),
  ...words('9007199254740993 18446744073709551616 99999999999999999999999999 1_000 1,000 undefined null true'),
  '[object Object]',
  ...words('__proto__ constructor prototype toString hasOwnProperty javascript:alert(1) <script> &#x0; &amp;'),
  ...words('0.0.0.0 255.255.255.255 999.1.1.1 127.0.0.1 :: ::1 ::ffff:1.2.3.4 fe80::1%eth0 1::2::3 ../../etc/passwd'),
  ...words('{} [] { } [ ] , :'),
].map(toBytes);
/** Bytes that are no UTF-8, and halves of Shift_JIS and EUC-JP. */
const broken = ['\xff', '\xc0\x80', '\xed\xa0\x80', '\xf0\x9f', '\x82', '\x8f\xa1', '\x1b$B'];

export type Numbers = readonly [kind: number, a: number, b: number, c: number];

type Change = (text: string, numbers: Numbers, material: Material) => string;

const splice = (text: string, at: number, length: number, instead: string) =>
  text.slice(0, at) + instead + text.slice(at + length);
const within = (text: string, number: number) => (text.length === 0 ? 0 : number % text.length);
const pick = (list: readonly string[], number: number) => list[number % Math.max(1, list.length)] ?? '';
const pickWord = (material: Material, number: number) =>
  material.words.length > 0 && number % 3 !== 0 ? pick(material.words, number) : pick([...nasty, ...broken], number);

/** Start and end of the line that holds the byte `at`, without its end. */
function lineAt(text: string, at: number): [number, number] {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', start);
  return [start, end < 0 ? text.length : end];
}

function findSpan(text: string, at: number, isPart: RegExp): [number, number] {
  let [start, end] = [at, at];
  while (start > 0 && at - start < 64 && isPart.test(text[start - 1] ?? '')) {
    start -= 1;
  }
  while (end < text.length && end - at < 64 && isPart.test(text[end] ?? '')) {
    end += 1;
  }
  return [start, end - start];
}

const changes: readonly Change[] = [
  (text, [, a, b]) => splice(text, within(text, a), 1, String.fromCharCode(b % 256)),
  (text, [, a, b], material) => splice(text, within(text, a), 0, pickWord(material, b)),
  (text, [, a, b], material) =>
    splice(text, ...findSpan(text, within(text, a), /[^\s"',:=[\]{}()<>|/]/), pickWord(material, b)),
  (text, [, a, b], material) => splice(text, ...findSpan(text, within(text, a), /\d/), pickWord(material, b)),
  (text, [, a, b]) => splice(text, within(text, a), b % 24, ''),
  (text, [, a, b, c]) => {
    const at = within(text, a);
    return splice(text, at, 0, text.slice(at, at + (b % 80)).repeat(c % 5));
  },
  (text, [, a, b, c], { seeds }) => {
    const other = pick(seeds, b);
    return text.slice(0, within(text, a)) + other.slice(within(other, c), within(other, c) + 2000);
  },
  (text, [, a]) => text.slice(0, within(text, a)),
  (text, [, a]) => text.slice(within(text, a)),
  (text, [, a, b]) => {
    const [start, end] = lineAt(text, within(text, a));
    const at = lineAt(text, within(text, b))[0];
    return splice(text, at, 0, `${text.slice(start, end)}\n`);
  },
  (text, [, a]) => {
    const [start, end] = lineAt(text, within(text, a));
    return splice(text, start, end + 1 - start, '');
  },
  (text, [, a, b, c], { seeds }) => {
    const other = pick(seeds, b);
    const [start, end] = lineAt(other, within(other, c));
    return splice(text, lineAt(text, within(text, a))[0], 0, `${other.slice(start, Math.min(end, start + 500))}\n`);
  },
  (text, [, a, b]) => splice(text, within(text, a), 1, (text[within(text, a)] ?? ' ').repeat(b % 40)),
  (text, [, a, b]) =>
    splice(text, within(text, a), 0, pick(['[', '{"a":', '<a>', '(', '"', '&', '\\'], b).repeat((b % 200) + 1)),
];

/** `text` after one change. */
export function applyChange(text: string, numbers: Numbers, material: Material): string {
  const change = changes[numbers[0] % changes.length];
  return change === undefined ? text : change(text, numbers, material);
}

/** A few bytes of `text`, or a word, as often as fit into 64 kB, where they stood: finds what takes the square of time. */
export function stretch(text: string, [kind, a, b, c]: Numbers, material: Material): string {
  const at = within(text, a);
  const slice = kind % 3 === 0 ? pickWord(material, b) : kind % 7 === 1 ? text : text.slice(at, at + 1 + (b % 24));
  const part = slice || pick([' ', '\t', '-', '1', 'a', '.', ':', '<', '"', ','], c);
  const head = text.slice(0, at);
  const tail = text.slice(at, at + 4096);
  const room = Math.max(part.length, 65_536 - head.length - tail.length);
  return head + part.repeat(Math.floor(room / part.length)) + tail;
}
