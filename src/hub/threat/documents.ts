// A document of a feed: whether it is good, and what it lists, as rows. Runs in the thread.
import { limits } from '#contract/limits.ts';
import { type PartName, parts } from './feed-documents.ts';
import { parseFalsePositives } from './feeds/false-positives.ts';
import { parseFeodo } from './feeds/feodo.ts';
import { parseSpamhaus } from './feeds/spamhaus.ts';
import { parseThreatFox } from './feeds/threatfox.ts';
import { unpack } from './feeds/unpack.ts';
import { parseUrlhaus } from './feeds/urlhaus.ts';
import type { DatedIndicator, Exception, Parsed, Take } from './indicator.ts';
import { standingOf } from './multi-tenant.ts';
import { createRowsPacker, type DocumentRows, type Entry } from './tables/rows.ts';

export interface CheckTask {
  part: PartName;
  body: Uint8Array;
  /** Entries of the last good document; 0 when there is none, or it is too old to compare with. */
  before: number;
}

export type Checked = { entries: number; rows: DocumentRows } | { problem: string };

export interface ReadTask {
  part: PartName;
  packed: Uint8Array;
}

export type Read = { rows: DocumentRows } | { problem: string };

/** Of all rows at most so many may be none, and at least so many of the entries before must be there. */
const badShare = 0.02;
const keptShare = 0.2;

export function checkDocument({ part, body, before }: CheckTask): Checked {
  if (body.length === 0) {
    return { problem: 'it has 0 bytes' };
  }
  const unpacked = unpack(body, limits.feedUnpackedBytes);
  if ('problem' in unpacked) {
    return unpacked;
  }
  const { text } = unpacked;
  if (/^\s*<(?:!doctype|html|head|body|\?xml)/i.test(text.slice(0, 1000))) {
    return { problem: 'it is a web page' };
  }
  const packer = createRowsPacker();
  const parsed = parseDocument(part, text, packer.add);
  if ('problem' in parsed) {
    return parsed;
  }
  const { rows, bad } = parsed;
  if (rows > limits.feedEntries) {
    return { problem: `it has ${rows} entries, more than ${limits.feedEntries}` };
  }
  if (bad > rows * badShare) {
    return { problem: `${bad} of its ${rows} rows cannot be read` };
  }
  if (rows === 0 && !parts[part].mayBeEmpty) {
    return { problem: 'it lists nothing' };
  }
  if (!parts[part].mayBeEmpty && rows < before * keptShare) {
    return { problem: `it has ${rows} entries, and had ${before} before` };
  }
  return { entries: rows, rows: packer.build() };
}

/** Rows of a document that was good when it was kept. */
export function readDocument({ part, packed }: ReadTask): Read {
  const unpacked = unpack(packed, limits.feedUnpackedBytes);
  if ('problem' in unpacked) {
    return unpacked;
  }
  const packer = createRowsPacker();
  const parsed = parseDocument(part, unpacked.text, packer.add);
  return 'problem' in parsed ? parsed : { rows: packer.build() };
}

function parseDocument(part: PartName, text: string, add: Take<Entry>): Parsed {
  const take: Take<DatedIndicator> = (one) => add(withStanding(one));
  switch (part) {
    case 'c2':
      return parseFeodo(text, take);
    case 'ioc_recent':
    case 'ioc_full':
      return parseThreatFox(text, take);
    case 'url':
      return parseUrlhaus(text, take);
    case 'drop_v4':
    case 'drop_v6':
      return parseSpamhaus(text, take);
    case 'false_positives':
      return parseFalsePositives(text, (one) => add(entryOf(one)));
  }
}

/** Nothing hangs on the feed of what was taken back. */
function entryOf(exception: Exception): Entry {
  return { feed: 'feed_c2', ...exception, exact: 0, loose: 0, tag: '', url: '' };
}

/** A name of many tenants accuses nobody by itself. */
function withStanding(indicator: DatedIndicator): Entry {
  if (indicator.kind !== 'domain') {
    return indicator;
  }
  const { isMultiTenant, standsForAllBelow } = standingOf(indicator.value);
  return isMultiTenant
    ? { ...indicator, exact: 1, loose: 1, tag: `${indicator.tag} (needs the URL path)` }
    : { ...indicator, covers: standsForAllBelow };
}
