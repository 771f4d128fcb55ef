// What is said of a feed: the worst of its documents in words, and the earliest of their times.
import { expect, test } from 'vitest';
import type { FeedName } from '#contract/threat.ts';
import { type DocumentName, documentNames } from '#hub/identify/threat/feed-documents.ts';
import { type FeedFacts, toFalsePositives, toFeed } from '#hub/identify/threat/feed-state.ts';
import type { DocumentRecord } from '#hub/identify/threat/store.ts';
import { hashToken } from '#kernel/text/secret.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { describeInJapanese } from '../../../support/japanese.ts';

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 19, 15);
const key = 'key-of-abuse-ch';
const nothingKept = { fetchedAt: null, etag: null, lastModified: null, sha256: null, entries: 0, readBy: null };
const never: DocumentRecord = {
  ...nothingKept,
  ...{ checkedAt: null, attemptedAt: null, nextAt: 0, failures: 0, failure: null, refusedKey: null },
};
const good: DocumentRecord = {
  ...never,
  fetchedAt: now - 9 * hour,
  checkedAt: now - hour,
  nextAt: now + hour,
  entries: 5,
};
const failing = { failures: 1, failure: 'answered 500' };
const kept = `The list of ${isoTime(now - 9 * hour)} is in use.`;

interface Case {
  what: string;
  feed?: FeedName;
  records?: Partial<Record<DocumentName, DocumentRecord>>;
  facts?: Partial<FeedFacts>;
  says: object;
}

function createFacts({ records = {}, facts = {} }: Omit<Case, 'what' | 'says'>): FeedFacts {
  const all = Object.fromEntries(documentNames.map((name) => [name, records[name] ?? good]));
  return {
    records: all as FeedFacts['records'],
    counts: { feed_c2: 1, feed_ioc: 2, feed_url: 3, feed_drop: 4 },
    isEnabled: () => true,
    authKey: key,
    offline: false,
    now,
    ...facts,
  };
}

const times = { fetchedAt: good.fetchedAt, checkedAt: good.checkedAt, nextAt: good.nextAt };
const noCounts = { feed_c2: 0, feed_ioc: 0, feed_url: 0, feed_drop: 0 };
const atStaleness = { ...good, checkedAt: now - 36 * hour };

const cases: readonly Case[] = [
  { what: 'all its documents came', says: { state: 'ok', message: null, entries: 4, ...times } },
  {
    what: 'they came at different times',
    records: {
      drop_v4: { ...good, fetchedAt: now - 20 * hour, nextAt: now + 3 * hour },
      drop_v6: { ...good, checkedAt: now - 2 * hour, nextAt: now + 2 * hour },
    },
    says: { fetchedAt: now - 20 * hour, checkedAt: now - 2 * hour, nextAt: now + 2 * hour },
  },
  { what: 'it is overdue', records: { drop_v4: { ...good, nextAt: now - 1 } }, says: { state: 'ok', nextAt: now } },
  {
    what: 'nothing came yet',
    records: { drop_v4: never, drop_v6: never },
    facts: { counts: noCounts },
    says: { state: 'pending', message: null, entries: 0, fetchedAt: null, checkedAt: null, nextAt: now },
  },
  {
    what: 'one document came, and the other is still to come',
    records: { drop_v6: never },
    says: { state: 'pending', entries: 4, fetchedAt: good.fetchedAt },
  },
  {
    what: 'one document came, and the other fails',
    records: { drop_v6: { ...never, ...failing } },
    says: {
      state: 'stale',
      message: 'The publisher answered 500. There is no list yet. The hub tries again automatically.',
      entries: 4,
      fetchedAt: good.fetchedAt,
    },
  },
  {
    what: 'both fail from the first',
    records: { drop_v4: { ...never, ...failing }, drop_v6: { ...never, ...failing } },
    facts: { counts: noCounts },
    says: { state: 'failed', entries: 0, fetchedAt: null },
  },
  {
    what: 'one document fails that came before',
    records: { drop_v4: { ...good, ...failing } },
    says: { state: 'stale', message: `The publisher answered 500. ${kept} The hub tries again automatically.` },
  },
  { what: 'three of its intervals have passed', records: { drop_v4: atStaleness }, says: { state: 'ok' } },
  {
    what: 'more than three have passed',
    records: { drop_v4: { ...atStaleness, checkedAt: now - 36 * hour - 1 } },
    says: { state: 'stale', message: `It has not been confirmed since ${isoTime(now - 36 * hour - 1)}.` },
  },
  {
    what: 'it lists nothing',
    facts: { counts: noCounts },
    says: { state: 'empty', message: 'The list is empty, so it finds nothing.', entries: 0 },
  },
  {
    what: 'it is switched off',
    facts: { isEnabled: (id) => id !== 'feed_drop' },
    says: { state: 'disabled', message: 'Switched off in the settings.', entries: 0, ...times, nextAt: null },
  },
  {
    what: 'the hub is offline and has data',
    facts: { offline: true },
    says: { state: 'stale', message: `The hub is in offline mode. ${kept}`, entries: 4, nextAt: null },
  },
  {
    what: 'the hub is offline and has none',
    records: { drop_v4: never, drop_v6: never },
    facts: { offline: true },
    says: { state: 'disabled', message: 'The hub is in offline mode. There is no list yet.' },
  },
  {
    what: 'it has no key',
    feed: 'feed_url',
    facts: { authKey: '' },
    says: {
      state: 'unauthorised',
      message: expect.stringMatching(/^It needs a free API key of abuse\.ch: .*in use\.$/),
    },
  },
  {
    what: 'its key was refused',
    feed: 'feed_ioc',
    records: { ioc_full: { ...never, ...failing, refusedKey: hashToken(key) } },
    says: {
      state: 'unauthorised',
      message: expect.stringMatching(/^abuse\.ch refused the API key: .*There is no list yet\.$/),
    },
  },
  {
    what: 'another key was refused before',
    feed: 'feed_ioc',
    records: { ioc_full: { ...good, refusedKey: hashToken('another') } },
    says: { state: 'ok', message: null, entries: 2 },
  },
];

test.each(cases)('when $what', ({ feed = 'feed_drop', says, ...given }) => {
  const told = toFeed(feed, createFacts(given));
  expect(told).toMatchObject({ id: feed, ...says });
  // Each sentence has its fact, and each value of a fact is in its sentence.
  const sentences = told.message?.split(/(?<=\.) /) ?? [];
  expect(told.messageFacts).toHaveLength(sentences.length);
  told.messageFacts.forEach(({ values: { at, detail } }, index) => {
    expect(sentences[index]).toContain(typeof at === 'number' ? isoTime(at) : (detail ?? ''));
  });
});

test.each<[string, string]>([
  ['gave no whole answer (ECONNREFUSED)', '配布元から取得できませんでした。接続を拒否されました。'],
  ['gave no whole answer (CERT_HAS_EXPIRED)', '配布元から取得できませんでした。証明書の期限が切れています。'],
  ['gave no whole answer (ODD)', '配布元から取得できませんでした。「ODD」'],
  ['gave no whole answer (no connection)', '配布元から取得できませんでした。'],
  ['did not answer within 60 s', '配布元が 60 秒以内に応答しませんでした。'],
  ['answered with more than 64 MB', '配布元の応答が 64 MB を超えています。'],
  ['answered with a redirect (302), which is not followed', '配布元が別のアドレスに転送します（302）。'],
  ['says that it was asked too often (429)', '配布元が要求を制限しています。'],
  ['answered 500', '配布元がエラー 500 を返しました。'],
  [
    'sent something that is not the list: it is a web page',
    '配布元が送った内容はリストではありません。ウェブページです。',
  ],
])('a publisher that %s: the page says %s', (failure, sentence) => {
  const { message, messageFacts } = toFeed(
    'feed_drop',
    createFacts({ records: { drop_v4: { ...good, failures: 1, failure } } }),
  );
  expect(message).toContain(`The publisher ${failure}. ${kept}`);
  expect(describeInJapanese(messageFacts.slice(0, 1))).toBe(sentence);
});

test('the list of what was taken back is shown alike, with its own entries', () => {
  const record = { ...good, ...failing };
  expect(toFalsePositives(createFacts({ records: { false_positives: record } }))).toEqual({
    state: 'stale',
    message: `The publisher answered 500. ${kept} The hub tries again automatically.`,
    messageFacts: [
      { code: 'feed_status', values: { status: 500 } },
      { code: 'list_in_use', values: { at: good.fetchedAt } },
      { code: 'feed_tried_again', values: {} },
    ],
    entries: 5,
    fetchedAt: good.fetchedAt,
  });
});
