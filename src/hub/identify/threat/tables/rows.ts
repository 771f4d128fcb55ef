// Packs the indicators of a downloaded list as columns of one buffer, which threads share and SQLite stores unchanged.
import type { FeedName } from '#contract/threat.ts';
import { createPoolBuilder, type TextPool } from '#kernel/columns/text-pool.ts';
import { withCapacity } from '#kernel/columns/typed-array.ts';
import type { Exception, Indicator } from '../indicator.ts';
import { ipv4Number } from './ip-number.ts';

/** The column `feeds` holds indexes in this list. */
export const feedOrder = ['feed_c2', 'feed_ioc', 'feed_url', 'feed_drop'] as const satisfies readonly FeedName[];
/** The column `kinds` holds indexes in this list. IPv6 addresses are texts; IPv4 addresses (`ipv4Kind`) are numbers. */
export const kindOrder = ['ip', 'cidr', 'domain', 'ip', 'url'] as const;
export const ipv6Kind = 0;
export const cidrKind = 1;
export const domainKind = 2;
export const ipv4Kind = 3;
export const urlKind = 4;
/** Marks a false positive: tables are built without its row. */
export const removedKind = 255;

/** The columns; a row has the same index in each of them. */
export interface Rows {
  texts: TextPool;
  feeds: Uint8Array;
  kinds: Uint8Array;
  ports: Uint16Array;
  /** Grade of a flow to the listed port, or to a name that a client resolved. */
  exact: Uint8Array;
  /** Grade of a flow to another port, or to a name that only the owner of the address claims. */
  loose: Uint8Array;
  /** Whether a name includes its subdomains. */
  covers: Uint8Array;
  /** IPv4 addresses as numbers, or indexes in `texts`. */
  values: Uint32Array;
  /** Indexes in `texts`, as in `urls`. */
  tags: Uint32Array;
  urls: Uint32Array;
}

/** The rows of one downloaded list. They depend neither on the time nor on settings. */
export interface DocumentRows extends Rows {
  /** Seconds since 1970 after which `exact` is a warning at most; `neverStale`: it does not age. */
  freshUntil: Uint32Array;
  /** The whole buffer, as it is stored. */
  packed: Uint8Array;
}

export const neverStale = 0xffff_ffff;

/** One line of a downloaded list. Lists of exceptions may name a URL, which no indicator does. */
export interface Entry extends Omit<Indicator, 'kind'> {
  kind: Exception['kind'];
  /** Epoch milliseconds after which `exact` is a warning at most; null or absent: it does not age. */
  freshUntil?: number | null;
  covers?: boolean;
}

/** The ASCII letters "GHT" and the number of this layout. The other byte order reads it as another number. */
const mark = 0x4748_5401;
const headerBytes = 16;

export function createRowsPacker() {
  const pool = createPoolBuilder();
  // The numbers of an entry: value, tag, web address, age, port, and the five narrow columns in one.
  const width = 6;
  let numbers = new Uint32Array(width * 1024);
  let count = 0;
  return {
    add({ feed, kind, value, port, exact, loose, tag, url, freshUntil = null, covers = false }: Entry) {
      const at = count * width;
      if (at === numbers.length) {
        numbers = withCapacity(numbers, numbers.length * 2);
      }
      const number = kind === 'ip' ? ipv4Number(value) : -1;
      const kindNumber = number < 0 ? kindOrder.indexOf(kind) : ipv4Kind;
      numbers[at] = number < 0 ? pool.append(value) : number;
      numbers[at + 1] = pool.intern(tag);
      numbers[at + 2] = pool.append(url);
      numbers[at + 3] = freshUntil === null ? neverStale : toSeconds(freshUntil);
      numbers[at + 4] = port;
      // Feed and kind take eight bits each, the grades four.
      numbers[at + 5] =
        (feedOrder.indexOf(feed) << 24) | (kindNumber << 16) | (exact << 8) | (loose << 4) | (covers ? 1 : 0);
      count += 1;
    },
    build() {
      const texts = pool.build();
      const size = countBytes(count, texts.ends.length, texts.bytes.length);
      const rows = layOut(new Uint8Array(new SharedArrayBuffer(size)), count, texts.ends.length);
      new Uint32Array(rows.packed.buffer, 0, 4).set([mark, count, texts.ends.length, texts.bytes.length]);
      rows.texts.bytes.set(texts.bytes);
      rows.texts.ends.set(texts.ends);
      for (let row = 0, at = 0; row < count; row += 1, at += width) {
        const narrow = numbers[at + 5] ?? 0;
        rows.values[row] = numbers[at] ?? 0;
        rows.tags[row] = numbers[at + 1] ?? 0;
        rows.urls[row] = numbers[at + 2] ?? 0;
        rows.freshUntil[row] = numbers[at + 3] ?? 0;
        rows.ports[row] = numbers[at + 4] ?? 0;
        rows.feeds[row] = narrow >>> 24;
        rows.kinds[row] = (narrow >>> 16) & 255;
        rows.exact[row] = (narrow >>> 8) & 255;
        rows.loose[row] = (narrow >>> 4) & 15;
        rows.covers[row] = narrow & 1;
      }
      return rows;
    },
  };
}

export function packRows(entries: Iterable<Entry>): DocumentRows {
  const packer = createRowsPacker();
  for (const entry of entries) {
    packer.add(entry);
  }
  return packer.build();
}

/** Reads `packed`, which must fill its whole buffer; null for another layout. */
export function openRows(packed: Uint8Array): DocumentRows | null {
  if (packed.length < headerBytes) {
    return null;
  }
  const [found, count = 0, texts = 0, textBytes = 0] = new Uint32Array(packed.buffer, 0, 4);
  const isWhole = found === mark && packed.length === countBytes(count, texts, textBytes);
  return isWhole ? layOut(packed, count, texts) : null;
}

/** Four columns of four bytes, one of two, five of one; then the texts. */
function countBytes(count: number, texts: number, textBytes: number): number {
  return headerBytes + count * (4 * 4 + 2 + 5) + texts * 4 + textBytes;
}

/** Wide columns come first, so that each begins at a multiple of its width. */
function layOut(packed: Uint8Array, count: number, texts: number): DocumentRows {
  const { buffer } = packed;
  let at = headerBytes;
  const place = (bytes: number) => {
    at += bytes;
    return at - bytes;
  };
  const wide = (length: number) => new Uint32Array(buffer, place(length * 4), length);
  const narrow = () => new Uint8Array(buffer, place(count), count);
  const wideColumns = { values: wide(count), tags: wide(count), urls: wide(count), freshUntil: wide(count) };
  const ends = wide(texts);
  const columns = {
    ports: new Uint16Array(buffer, place(count * 2), count),
    feeds: narrow(),
    kinds: narrow(),
    exact: narrow(),
    loose: narrow(),
    covers: narrow(),
  };
  const bytes = new Uint8Array(buffer, at);
  return { packed, ...wideColumns, ...columns, texts: { ends, bytes } };
}

/** Columns of `count` rows, all 0, in buffers that `allocate` makes of so many bytes. */
export function createColumns(count: number, allocate: (bytes: number) => ArrayBufferLike): Omit<Rows, 'texts'> {
  const narrow = () => new Uint8Array(allocate(count));
  const wide = () => new Uint32Array(allocate(count * 4));
  return {
    feeds: narrow(),
    kinds: narrow(),
    ports: new Uint16Array(allocate(count * 2)),
    exact: narrow(),
    loose: narrow(),
    covers: narrow(),
    values: wide(),
    tags: wide(),
    urls: wide(),
  };
}

/** Feeds state times in whole seconds, so nothing is lost. */
function toSeconds(ms: number): number {
  return Math.min(neverStale - 1, Math.max(0, Math.floor(ms / 1000)));
}
