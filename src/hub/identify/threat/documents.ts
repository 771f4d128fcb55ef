// Validates and parses the document of a feed into rows. Runs in the thread.
import { limits } from '#contract/limits.ts';
import { type DocumentName, feedDocuments } from './feed-documents.ts';
import { parseFalsePositives } from './feeds/false-positives.ts';
import { parseFeodo } from './feeds/feodo.ts';
import { parseSpamhaus } from './feeds/spamhaus.ts';
import { parseThreatFox } from './feeds/threatfox.ts';
import { unpack } from './feeds/unpack.ts';
import { parseUrlhaus } from './feeds/urlhaus.ts';
import type { DatedIndicator, Emit, Exception, Parsed } from './indicator.ts';
import { findTenancy } from './multi-tenant.ts';
import { createRowsPacker, type DocumentRows, type Entry } from './tables/rows.ts';

export interface CheckTask {
  part: DocumentName;
  body: Uint8Array;
  /** Entries of the previous document; 0 when there is none, or it is too old to compare with. */
  before: number;
}

export type Checked = { entries: number; rows: DocumentRows } | { problem: string };

export type Read = { rows: DocumentRows } | { problem: string };

/** Largest share of unreadable rows, and smallest size relative to the previous document. */
const maxBadShare = 0.02;
const minSizeShare = 0.2;

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
  if (bad > rows * maxBadShare) {
    return { problem: `${bad} of its ${rows} rows cannot be read` };
  }
  if (rows === 0 && !feedDocuments[part].mayBeEmpty) {
    return { problem: 'it lists nothing' };
  }
  if (!feedDocuments[part].mayBeEmpty && rows < before * minSizeShare) {
    return { problem: `it has ${rows} entries, and had ${before} before` };
  }
  return { entries: rows, rows: packer.build() };
}

/** Parses a document that was valid when it was stored. */
export function readDocument({ part, packed }: { part: DocumentName; packed: Uint8Array }): Read {
  const unpacked = unpack(packed, limits.feedUnpackedBytes);
  if ('problem' in unpacked) {
    return unpacked;
  }
  const packer = createRowsPacker();
  const parsed = parseDocument(part, unpacked.text, packer.add);
  return 'problem' in parsed ? parsed : { rows: packer.build() };
}

function parseDocument(part: DocumentName, text: string, add: Emit<Entry>): Parsed {
  const emit: Emit<DatedIndicator> = (one) => add(withTenancy(one));
  switch (part) {
    case 'c2':
      return parseFeodo(text, emit);
    case 'ioc_recent':
    case 'ioc_full':
      return parseThreatFox(text, emit);
    case 'url':
      return parseUrlhaus(text, emit);
    case 'drop_v4':
    case 'drop_v6':
      return parseSpamhaus(text, emit);
    case 'false_positives':
      return parseFalsePositives(text, (one) => add(toEntry(one)));
  }
}

/** The feed of a false positive does not matter. */
function toEntry(exception: Exception): Entry {
  return { feed: 'feed_c2', ...exception, exact: 0, loose: 0, tag: '', url: '' };
}

/** The name of a multi-tenant platform is no more than a warning. */
function withTenancy(indicator: DatedIndicator): Entry {
  if (indicator.kind !== 'domain') {
    return indicator;
  }
  const { isMultiTenant, coversSubdomains } = findTenancy(indicator.value);
  return isMultiTenant
    ? { ...indicator, exact: 1, loose: 1, tag: `${indicator.tag} (needs the URL path)` }
    : { ...indicator, covers: coversSubdomains };
}
