// The documents to fetch: those of the four feeds and the list of false positives, with the rules of their publishers.
import type { FeedName } from '#contract/threat.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';

export const documentNames = ['c2', 'ioc_recent', 'ioc_full', 'url', 'drop_v4', 'drop_v6', 'false_positives'] as const;
/** One document. A feed has one or several. */
export type DocumentName = (typeof documentNames)[number];

/** Base addresses; the names are also the folders of a mirror. */
export const publishers = {
  feodotracker: 'https://feodotracker.abuse.ch/',
  threatfox: 'https://threatfox-api.abuse.ch/',
  urlhaus: 'https://urlhaus-api.abuse.ch/',
  hunting: 'https://hunting-api.abuse.ch/',
  spamhaus: 'https://www.spamhaus.org/',
  abuseipdb: 'https://api.abuseipdb.com/',
  virustotal: 'https://www.virustotal.com/',
  otx: 'https://otx.alienvault.com/',
} as const;
export type Publisher = keyof typeof publishers;

export interface FeedDocument {
  /** null: it serves all feeds of abuse.ch. */
  feed: FeedName | null;
  publisher: Publisher;
  path: string;
  /** How the key of abuse.ch is sent. */
  key: 'none' | 'query' | 'header';
  /** Body of the POST; a GET when absent. */
  body?: string;
  everyMs: number;
  /** Minimum time between two requests. */
  floorMs: number;
  /** The publisher documents that it may be empty. */
  mayBeEmpty: boolean;
}

/** The exports of abuse.ch that grow by the minute. */
const hourly = { everyMs: hourMs, floorMs: 5 * minuteMs };
/** Both lists of Spamhaus. */
const drop = {
  feed: 'feed_drop',
  publisher: 'spamhaus',
  key: 'none',
  everyMs: 12 * hourMs,
  floorMs: hourMs,
  mayBeEmpty: false,
} as const;

/** Intervals follow the terms of the publishers (docs/reference/threat-feeds.md#feeds). */
export const feedDocuments: Readonly<Record<DocumentName, FeedDocument>> = {
  c2: {
    feed: 'feed_c2',
    publisher: 'feodotracker',
    path: 'downloads/ipblocklist.csv',
    key: 'none',
    ...hourly,
    mayBeEmpty: true,
  },
  ioc_recent: {
    feed: 'feed_ioc',
    publisher: 'threatfox',
    path: 'files/exports/recent.csv',
    key: 'query',
    ...hourly,
    mayBeEmpty: false,
  },
  ioc_full: {
    feed: 'feed_ioc',
    publisher: 'threatfox',
    path: 'files/exports/full.csv.zip',
    key: 'query',
    everyMs: dayMs,
    floorMs: hourMs,
    mayBeEmpty: false,
  },
  url: {
    feed: 'feed_url',
    publisher: 'urlhaus',
    path: 'files/exports/recent.csv',
    key: 'query',
    ...hourly,
    mayBeEmpty: false,
  },
  drop_v4: { ...drop, path: 'drop/drop_v4.json' },
  drop_v6: { ...drop, path: 'drop/drop_v6.json' },
  false_positives: {
    feed: null,
    publisher: 'hunting',
    path: 'api/v1/',
    key: 'header',
    body: '{"query":"get_fplist","format":"csv"}',
    everyMs: 6 * hourMs,
    floorMs: hourMs,
    mayBeEmpty: true,
  },
};

const nonProfitTerms =
  'For use that is not for profit, with a free key, under the terms of abuse.ch: https://abuse.ch/terms-of-use/';

export const feedTitles: Readonly<Record<FeedName, { name: string; credit: string; terms: string }>> = {
  feed_c2: {
    name: 'Feodo Tracker',
    credit: 'abuse.ch',
    terms: 'Free of charge under the terms of abuse.ch: https://abuse.ch/terms-of-use/',
  },
  feed_ioc: { name: 'ThreatFox', credit: 'abuse.ch', terms: nonProfitTerms },
  feed_url: { name: 'URLhaus', credit: 'abuse.ch', terms: nonProfitTerms },
  feed_drop: {
    name: 'Spamhaus DROP',
    credit: '(c) The Spamhaus Project SLU',
    terms: 'Free for everyone while this credit stays with the data: https://www.spamhaus.org/drop/terms/',
  },
};

export function documentsOfFeed(feed: FeedName | null): DocumentName[] {
  return documentNames.filter((name) => feedDocuments[name].feed === feed);
}

/** The list of false positives serves the feeds of abuse.ch. */
export function isWanted(name: DocumentName, feeds: Readonly<Record<FeedName, boolean>>): boolean {
  const { feed } = feedDocuments[name];
  return feed === null ? feeds.feed_c2 || feeds.feed_ioc || feeds.feed_url : feeds[feed];
}
