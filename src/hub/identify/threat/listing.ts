// Joins the documents to one listing: without false positives, each entry with its grade of today.
import { joinPools, readText } from '#kernel/columns/text-pool.ts';
import type { Grade } from './indicator.ts';
import {
  createColumns,
  type DocumentRows,
  feedOrder,
  ipv4Kind,
  kindOrder,
  neverStale,
  type Rows,
  removedKind,
  urlKind,
} from './tables/rows.ts';

export interface ListingOptions {
  documents: readonly DocumentRows[];
  /** False positives of the feeds of abuse.ch. */
  exceptions: readonly DocumentRows[];
  /** Grade of Spamhaus DROP. */
  dropGrade: Grade;
  /** Epoch milliseconds. */
  now: number;
}

const drop = feedOrder.indexOf('feed_drop');

export function buildListing({ documents, exceptions, dropGrade, now }: ListingOptions): Rows {
  const isFalsePositive = createFalsePositiveMatcher(exceptions);
  const { texts, offsets } = joinPools(documents.map((document) => document.texts));
  const count = documents.reduce((sum, { kinds }) => sum + kinds.length, 0);
  const all = createColumns(count, (bytes) => new ArrayBuffer(bytes));
  let at = 0;
  for (const [place, document] of documents.entries()) {
    const offset = offsets[place] ?? 0;
    all.feeds.set(document.feeds, at);
    all.kinds.set(document.kinds, at);
    all.ports.set(document.ports, at);
    all.loose.set(document.loose, at);
    all.covers.set(document.covers, at);
    for (let row = 0; row < document.kinds.length; row += 1, at += 1) {
      const value = document.values[row] ?? 0;
      const tag = document.tags[row] ?? 0;
      const url = document.urls[row] ?? 0;
      all.values[at] = document.kinds[row] === ipv4Kind ? value : value + offset;
      all.tags[at] = tag === 0 ? 0 : tag + offset;
      all.urls[at] = url === 0 ? 0 : url + offset;
      if (document.feeds[row] === drop) {
        all.exact[at] = dropGrade;
        all.loose[at] = dropGrade;
      } else {
        all.exact[at] = computeExactGrade(document, row, now);
        if (isFalsePositive?.(document, row)) {
          all.kinds[at] = removedKind;
        }
      }
    }
  }
  return { texts, ...all };
}

/** Danger decays to a warning. */
function computeExactGrade({ exact, freshUntil }: DocumentRows, row: number, now: number): number {
  const grade = exact[row] ?? 0;
  const until = freshUntil[row] ?? 0;
  return grade > 1 && until !== neverStale && now > until * 1000 ? 1 : grade;
}

/** Matches rows by their value, with or without the port, or by their URL. */
function createFalsePositiveMatcher(
  exceptions: readonly DocumentRows[],
): ((rows: Rows, row: number) => boolean) | null {
  const sockets = new Set<number>();
  const values = new Set<string>();
  const urls = new Set<string>();
  for (const { texts, kinds, values: found, ports } of exceptions) {
    for (const [row, kind] of kinds.entries()) {
      const value = found[row] ?? 0;
      const port = ports[row] ?? 0;
      if (kind === ipv4Kind) {
        sockets.add(toSocketNumber(value, port));
      } else if (kind === urlKind) {
        urls.add(readText(texts, value));
      } else {
        values.add(`${kindOrder[kind]} ${readText(texts, value)} ${port}`);
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
    if (address !== 0 && urls.size > 0 && urls.has(readText(texts, address))) {
      return true;
    }
    if (kind === ipv4Kind) {
      return sockets.has(toSocketNumber(value, 0)) || sockets.has(toSocketNumber(value, port));
    }
    if (values.size === 0) {
      return false;
    }
    const named = `${kindOrder[kind]} ${readText(texts, value)}`;
    return values.has(`${named} 0`) || values.has(`${named} ${port}`);
  };
}

/** Address and port as one number of 48 bits. */
function toSocketNumber(address: number, port: number): number {
  return address * 0x1_0000 + port;
}
