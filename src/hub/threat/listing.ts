// What all documents together list: without what was taken back, each entry as grave as it is today.
import type { Grade } from './indicator.ts';
import { ageless, type DocumentRows, feedOrder, kindOrder, numberKind, type Rows, urlKind } from './tables/rows.ts';
import { joinPools, textOf } from './tables/text-pool.ts';

export interface ListingOptions {
  documents: readonly DocumentRows[];
  /** What abuse.ch took back from its feeds. */
  exceptions: readonly DocumentRows[];
  /** What a hit of Spamhaus DROP means. */
  dropGrade: Grade;
  /** Epoch milliseconds. */
  now: number;
}

const drop = feedOrder.indexOf('feed_drop');

export function listingOf({ documents, exceptions, dropGrade, now }: ListingOptions): Rows {
  const takenBack = takenBackOf(exceptions);
  const { texts, offsets } = joinPools(documents.map((document) => document.texts));
  const all = createRows(
    texts,
    documents.reduce((sum, { kinds }) => sum + kinds.length, 0),
  );
  let count = 0;
  for (const [place, document] of documents.entries()) {
    const offset = offsets[place] ?? 0;
    const moved = (text: number) => (text === 0 ? 0 : text + offset);
    for (let row = 0; row < document.kinds.length; row += 1) {
      const feed = document.feeds[row] ?? 0;
      const kind = document.kinds[row] ?? 0;
      if (feed !== drop && takenBack?.(document, row)) {
        continue;
      }
      all.feeds[count] = feed;
      all.kinds[count] = kind;
      all.ports[count] = document.ports[row] ?? 0;
      all.exact[count] = feed === drop ? dropGrade : exactOf(document, row, now);
      all.loose[count] = feed === drop ? dropGrade : (document.loose[row] ?? 0);
      all.covers[count] = document.covers[row] ?? 0;
      all.values[count] = kind === numberKind ? (document.values[row] ?? 0) : moved(document.values[row] ?? 0);
      all.tags[count] = moved(document.tags[row] ?? 0);
      all.urls[count] = moved(document.urls[row] ?? 0);
      count += 1;
    }
  }
  return firstRows(all, count);
}

/** Danger that has aged is a warning. */
function exactOf({ exact, freshUntil }: DocumentRows, row: number, now: number): number {
  const grade = exact[row] ?? 0;
  const until = freshUntil[row] ?? 0;
  return grade > 1 && until !== ageless && now > until * 1000 ? 1 : grade;
}

/** Tells whether a row was taken back: by its value with or without its port, or by its web address. */
function takenBackOf(exceptions: readonly DocumentRows[]): ((rows: Rows, row: number) => boolean) | null {
  const sockets = new Set<number>();
  const values = new Set<string>();
  const urls = new Set<string>();
  for (const { texts, kinds, values: found, ports } of exceptions) {
    for (const [row, kind] of kinds.entries()) {
      const value = found[row] ?? 0;
      const port = ports[row] ?? 0;
      if (kind === numberKind) {
        sockets.add(socketOf(value, port));
      } else if (kind === urlKind) {
        urls.add(textOf(texts, value));
      } else {
        values.add(`${kindOrder[kind]} ${textOf(texts, value)} ${port}`);
      }
    }
  }
  if (sockets.size + values.size + urls.size === 0) {
    return null;
  }
  return ({ texts, kinds, values: found, ports, urls: addresses }, row) => {
    const kind = kinds[row] ?? 0;
    const value = found[row] ?? 0;
    const port = ports[row] ?? 0;
    const address = addresses[row] ?? 0;
    if (address !== 0 && urls.size > 0 && urls.has(textOf(texts, address))) {
      return true;
    }
    if (kind === numberKind) {
      return sockets.has(socketOf(value, 0)) || sockets.has(socketOf(value, port));
    }
    if (values.size === 0) {
      return false;
    }
    const named = `${kindOrder[kind]} ${textOf(texts, value)}`;
    return values.has(`${named} 0`) || values.has(`${named} ${port}`);
  };
}

/** Address and port as one number of 48 bits. */
function socketOf(address: number, port: number): number {
  return address * 0x1_0000 + port;
}

function createRows(texts: Rows['texts'], count: number): Rows {
  return {
    texts,
    feeds: new Uint8Array(count),
    kinds: new Uint8Array(count),
    ports: new Uint16Array(count),
    exact: new Uint8Array(count),
    loose: new Uint8Array(count),
    covers: new Uint8Array(count),
    values: new Uint32Array(count),
    tags: new Uint32Array(count),
    urls: new Uint32Array(count),
  };
}

function firstRows(rows: Rows, count: number): Rows {
  return {
    texts: rows.texts,
    feeds: rows.feeds.subarray(0, count),
    kinds: rows.kinds.subarray(0, count),
    ports: rows.ports.subarray(0, count),
    exact: rows.exact.subarray(0, count),
    loose: rows.loose.subarray(0, count),
    covers: rows.covers.subarray(0, count),
    values: rows.values.subarray(0, count),
    tags: rows.tags.subarray(0, count),
    urls: rows.urls.subarray(0, count),
  };
}
