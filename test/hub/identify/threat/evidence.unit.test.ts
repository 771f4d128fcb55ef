// Why a connection is a threat, in words and with the state of its feed; and the feeds as metrics.
import { expect, test } from 'vitest';
import type { Threat } from '#contract/model.ts';
import type { Feed } from '#contract/threat.ts';
import { toThreatEvidence } from '#hub/identify/threat/evidence.ts';
import { describeFeeds } from '#hub/identify/threat/metrics.ts';

const listing: Threat = {
  ...({ level: 'danger', confidence: 'high', source: 'feed_ioc', tag: null } as const),
  ...({ matchType: 'ip', matchValue: '198.51.100.7', port: null, url: null } as const),
};
const feed = (id: Feed['id'], changes: Partial<Feed> = {}): Feed => ({
  ...{ id, name: `the feed ${id}`, state: 'ok', message: null, messageFacts: [], entries: 5 },
  ...{ fetchedAt: 1000, checkedAt: 2000, nextAt: null, credit: '', terms: '' },
  ...changes,
});
const connection = { dport: 443, firstSeen: 500, retro: null, isOnlyPublished: false };

test('the feed of a verdict is the one it came from; one that is no longer known counts as switched off', () => {
  const feeds = [feed('feed_c2', { state: 'failed', checkedAt: null }), feed('feed_ioc', { state: 'stale' })];
  const about = (source: Feed['id'], now = 2600) => {
    const threat = { ...listing, source };
    const { feedName, list } = toThreatEvidence({ ...connection, threat }, feeds, now);
    return { feedName, ...list };
  };
  expect(about('feed_ioc')).toEqual({
    ...{ feedName: 'the feed feed_ioc', state: 'stale', fetchedAt: 1000, checkedAt: 2000, ageMs: 600 },
  });
  expect(about('feed_ioc', 1500).ageMs).toBe(0);
  expect(about('feed_c2')).toMatchObject({ state: 'failed', checkedAt: null, ageMs: null });
  expect(about('feed_drop')).toEqual({
    ...{ feedName: 'feed_drop', state: 'disabled', fetchedAt: null, checkedAt: null, ageMs: null },
  });
});

test.each([
  [{}, {}, 'matches', 'the address 198.51.100.7 is listed, which this connection matches'],
  [{ matchType: 'domain', matchValue: 'bad.example' }, {}, 'looked_up', /name bad\.example is listed, and a client/],
  [{ confidence: 'low', port: 8443 }, {}, 'other_port', /with port 8443; this connection went to port 443$/],
  [{ confidence: 'low', port: 443 }, {}, 'uncertain', /marks this entry as uncertain/],
  [{ confidence: 'low', tag: 'host (needs the URL path)' }, {}, 'platform', /many customers/],
  [{ confidence: 'low', matchType: 'domain' }, { isOnlyPublished: true }, 'published', /reverse DNS/],
  [{ confidence: 'low', matchType: 'domain' }, {}, 'uncertain', /^the name/],
  [{ confidence: 'low', matchType: 'cidr' }, {}, 'range', /^the range .* no more than a warning$/],
] as const)('%j of a connection with %j: %s', (threat, changes, reason, why) => {
  const judged = { ...connection, ...changes, threat: { ...listing, ...threat } as never };
  const evidence = toThreatEvidence(judged, [], 0);
  expect(evidence.reason).toBe(reason);
  expect(evidence.why).toMatch(why);
});

test('a feed that is off has entries and a state, and no times', () => {
  const families = describeFeeds([feed('feed_c2'), feed('feed_url', { state: 'disabled' })]);
  const byName = Object.fromEntries(families.map(({ name, samples }) => [name, samples]));
  const feeds = (name: string) => byName[name]?.map(({ labels, value }) => [labels?.feed, value]);
  expect(feeds('gatehouse_feed_entries')).toEqual([
    ['feed_c2', 5],
    ['feed_url', 5],
  ]);
  expect(feeds('gatehouse_feed_fetched_timestamp_seconds')).toEqual([['feed_c2', 1]]);
  expect(feeds('gatehouse_feed_checked_timestamp_seconds')).toEqual([['feed_c2', 2]]);
  const states = byName.gatehouse_feed_state?.filter(({ value }) => value === 1).map(({ labels }) => labels);
  expect(states).toMatchObject([
    { feed: 'feed_c2', state: 'ok' },
    { feed: 'feed_url', state: 'disabled' },
  ]);
});
