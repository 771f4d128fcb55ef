// What is computed in a thread: whether a document is good, and tables from all that are. Pure; the thread is thread.ts.
import { gzipSync } from 'node:zlib';
import { limits } from '#contract/limits.ts';
import type { FeedName } from '#contract/threat.ts';
import { parseAllowed, parseFalsePositives } from './feeds/false-positives.ts';
import { parseFeodo } from './feeds/feodo.ts';
import { parseSpamhaus } from './feeds/spamhaus.ts';
import { parseThreatFox } from './feeds/threatfox.ts';
import { unpack } from './feeds/unpack.ts';
import { parseUrlhaus } from './feeds/urlhaus.ts';
import type { Exception, Grade, Indicator, Parsed } from './indicator.ts';
import { isMultiTenant, standsForAllBelow } from './multi-tenant.ts';
import { type PartName, parts } from './parts.ts';
import { buildTables } from './tables/build.ts';
import { feedOrder, indicatorsOf, type Tables } from './tables/tables.ts';

export interface CheckTask {
  part: PartName;
  body: Uint8Array;
  /** Entries of the last good document; 0 when there is none, or it is too old to compare with. */
  before: number;
  now: number;
}

/** A good document is kept packed, as it came. */
export type Checked = { entries: number; packed: Uint8Array } | { problem: string };

/** Of all rows at most so many may be none, and at least so many of the entries before must be there. */
const badShare = 0.02;
const keptShare = 0.2;

export function checkDocument({ part, body, before, now }: CheckTask): Checked {
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
  const parsed = part === 'false_positives' ? parseFalsePositives(text) : parsePart(part, text, now, 2);
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
  return { entries: rows, packed: isPacked(body) ? body : new Uint8Array(gzipSync(body, { level: 6 })) };
}

function parsePart(part: Exclude<PartName, 'false_positives'>, text: string, now: number, dropGrade: Grade): Parsed {
  switch (part) {
    case 'c2':
      return parseFeodo(text, now);
    case 'ioc_recent':
    case 'ioc_full':
      return parseThreatFox(text);
    case 'url':
      return parseUrlhaus(text, now);
    case 'drop_v4':
    case 'drop_v6':
      return parseSpamhaus(text, dropGrade);
  }
}

function isPacked(body: Uint8Array): boolean {
  return (body[0] === 0x1f && body[1] === 0x8b) || (body[0] === 0x50 && body[1] === 0x4b);
}

export interface BuildTask {
  documents: readonly { part: PartName; packed: Uint8Array }[];
  allowList: readonly string[];
  dropGrade: Grade;
  now: number;
  /** What was listed before. */
  before: Tables | null;
}

export interface Built {
  listed: Tables;
  allowed: Tables;
  /** What was listed and is not, is and was not, or changed; null when nothing was listed before: all is new. */
  changed: Tables | null;
  /** Indicators in use, by feed. */
  counts: Record<FeedName, number>;
}

/** Documents were good when they were kept: one that is not any more is left out. */
export function buildAll({ documents, allowList, dropGrade, now, before }: BuildTask): Built {
  const indicators: Indicator[] = [];
  const exceptions: Exception[] = [];
  for (const { part, packed } of documents) {
    const unpacked = unpack(packed, limits.feedUnpackedBytes);
    if ('problem' in unpacked) {
      continue;
    }
    if (part === 'false_positives') {
      const parsed = parseFalsePositives(unpacked.text);
      exceptions.push(...('problem' in parsed ? [] : parsed.exceptions));
      continue;
    }
    const parsed = parsePart(part, unpacked.text, now, dropGrade);
    if (!('problem' in parsed)) {
      for (const indicator of parsed.indicators) {
        indicators.push(indicator);
      }
    }
  }
  const takenBack = new Set(exceptions.map(({ kind, value, port }) => `${kind} ${value} ${port}`));
  const inUse = indicators.filter((one) => !isTakenBack(one, takenBack)).map(tempered);
  const listed = buildTables(inUse, standsForAllBelow);
  const counts = { feed_c2: 0, feed_ioc: 0, feed_url: 0, feed_drop: 0 };
  for (const feed of listed.feeds) {
    counts[feedOrder[feed] ?? 'feed_c2'] += 1;
  }
  return { listed, allowed: allowedTables(allowList), changed: before && difference(before, listed), counts };
}

function isTakenBack({ feed, kind, value, port, url }: Indicator, takenBack: ReadonlySet<string>): boolean {
  const isOfAbuseCh = feed !== 'feed_drop';
  return (
    isOfAbuseCh &&
    takenBack.size > 0 &&
    (takenBack.has(`${kind} ${value} 0`) ||
      takenBack.has(`${kind} ${value} ${port}`) ||
      (url !== '' && takenBack.has(`url ${url} 0`)))
  );
}

/** A name of many tenants accuses nobody by itself. */
function tempered(indicator: Indicator): Indicator {
  return indicator.kind === 'domain' && isMultiTenant(indicator.value)
    ? { ...indicator, exact: 1, loose: 1, tag: `${indicator.tag} (needs the URL path)` }
    : indicator;
}

/** A name that is allowed is so with all below it. */
function allowedTables(allowList: readonly string[]): Tables {
  const entries = allowList.map(parseAllowed).filter((one) => one !== null);
  const indicators = entries.map(({ kind, value }): Indicator => {
    const of = kind === 'url' ? 'domain' : kind;
    return { feed: 'feed_c2', kind: of, value, port: 0, exact: 1, loose: 1, tag: '', url: '' };
  });
  return buildTables(indicators, () => true);
}

/** Tables of what only one of the two lists, or lists otherwise than the other. */
function difference(before: Tables, after: Tables): Tables {
  const old = new Map([...indicatorsOf(before)].map((one) => [keyOf(one), one]));
  const changed: Indicator[] = [];
  for (const one of indicatorsOf(after)) {
    if (!old.delete(keyOf(one))) {
      changed.push(one);
    }
  }
  return buildTables([...changed, ...old.values()], standsForAllBelow);
}

function keyOf({ feed, kind, value, port, exact, loose, tag, url }: Indicator): string {
  return `${feed} ${kind} ${value} ${port} ${exact}${loose} ${tag} ${url}`;
}
