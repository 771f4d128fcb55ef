// Joins the rows of an answer that the router interrupted: by the edge of its console, a pager or a log line.

export interface JoinedText {
  joined: string;
  /** Index in the original text, by index in `joined`. */
  places: Uint32Array;
}

/** Part of a text: from `from`, up to but not including `to`. */
interface Range {
  from: number;
  to: number;
}

/** The questions of both vendors, with what erases them after a key. */
const pagerQuestion = /(?: --More-- |---(?:more|[\x80-\xff]{6,9})---)(?:[\b]+ *[\b]*|\r *\r)?/g;
/** A log line of vendor_a, such as `2026/03/01 12:00:00: …` or `[DHCPD] …`. */
const logOfVendorA = /(?:<\d{1,3}>)?(?:\d{4}\/\d\d\/\d\d[ T]\d\d:\d\d:\d\d|\[[A-Za-z][^\]]*\]\s)/;
/** A log line of vendor_b, such as `000123: *Mar  1 12:00:03.221 JST: %LINK-3-UPDOWN: …`; number, time and zone may be missing. */
const logOfVendorB =
  /(?:<\d{1,3}>)?(?:\d{6}: )?(?:(?:[*.]?[A-Z][a-z]{2} {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: [A-Za-z]{1,8})?|\d[ywd]\d{1,2}[wdh]|\d\d:\d\d:\d\d): )?%[A-Z\d_]+(?:-[A-Z\d_]+)*-[0-7]-[A-Z\d_]+:/;

const usualColumns = 80;

/** The text without pagers, log lines and breaks at the last column. Null when there are none. Each character is one byte. */
export function joinRows(text: string): JoinedText | null {
  const pagers = text.includes('--')
    ? [...text.matchAll(pagerQuestion)].map(({ index, 0: { length } }) => ({ from: index, to: index + length }))
    : [];
  const unpaged = removeRanges(text, pagers);
  const interruptions = findInterruptions(unpaged?.joined ?? text);
  const joined = removeRanges(unpaged?.joined ?? text, interruptions) ?? unpaged;
  if (joined && unpaged && joined !== unpaged) {
    for (const [at, place] of joined.places.entries()) {
      joined.places[at] = unpaged.places[place] ?? 0;
    }
  }
  return joined;
}

/** Null when there is nothing to remove. The ranges are in order and do not overlap. */
function removeRanges(text: string, ranges: readonly Range[]): JoinedText | null {
  if (ranges.length === 0) {
    return null;
  }
  const places = new Uint32Array(text.length);
  const pieces: string[] = [];
  let from = 0;
  let length = 0;
  for (const range of [...ranges, { from: text.length, to: text.length }]) {
    pieces.push(text.slice(from, range.from));
    for (let at = from; at < range.from; at += 1) {
      places[length] = at;
      length += 1;
    }
    from = range.to;
  }
  return { joined: pieces.join(''), places: places.subarray(0, length) };
}

interface Line extends Range {
  /** Without its line end. */
  content: string;
  /** Index in `content` where a log line starts; -1 when there is none. */
  logAt: number;
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end + 1;
    const content = text.slice(from, to).replace(/\r*\n?$/, '');
    lines.push({ from, to, content, logAt: findLog(content) });
    from = to;
  }
  return lines;
}

function findLog(line: string): number {
  return line.includes('%') || line.includes(':') || line.includes('[')
    ? Math.max(logOfVendorA.exec(line)?.index ?? -1, logOfVendorB.exec(line)?.index ?? -1)
    : -1;
}

/** The log lines, the line ends around them that tear a row, and the line ends at the last column of the console. */
function findInterruptions(text: string): Range[] {
  const lines = splitLines(text);
  const columns = Math.max(usualColumns, longestWithoutLog(lines));
  const found: Range[] = [];
  /** The line above a log line that has a line of its own. */
  let above: Line | null = null;
  /** The console broke the log line at its last column: the next line is its rest. */
  let goesOn = false;
  let isBelowLog = false;
  for (const line of lines) {
    const { from, to, content, logAt } = line;
    const isFull = content.length === columns;
    const lineEnd = { from: from + content.length, to };
    if (goesOn || logAt >= 0) {
      above = goesOn || content.slice(0, logAt).trim() === '' ? above : null;
      found.push({ from: goesOn ? from : from + logAt, to });
      // A log line that ends at the last column by chance looks the same as one that the console broke there.
      goesOn = isFull;
      isBelowLog = true;
      continue;
    }
    if (above && isBelowLog && isTorn(above.content, content)) {
      found.push({ from: above.from + above.content.length, to: above.to });
    }
    if (isFull) {
      found.push(lineEnd);
    }
    above = isFull ? null : line;
    isBelowLog = false;
  }
  return found.sort((one, other) => one.from - other.from);
}

function longestWithoutLog(lines: readonly Line[]): number {
  return lines.reduce((most, { content, logAt }) => (logAt < 0 ? Math.max(most, content.length) : most), 0);
}

/** Whether an address may stand in both lines. */
function isTorn(line: string, next: string): boolean {
  return /[\da-f.:]$/i.test(line) && /^[\da-f.:]/i.test(next);
}
