// Threat feeds in /metrics: their states, their entries, and how old their data is.
import { type Feed, feedState } from '#contract/threat.ts';
import { createGauge, type MetricFamily, toStateSamples, toTimeSample } from '../../base/metrics.ts';

export function describeFeeds(feeds: readonly Feed[]): MetricFamily[] {
  const all = feeds.map((feed) => ({ ...feed, labels: { feed: feed.id, name: feed.name } }));
  const inUse = all.filter(({ state }) => state !== 'disabled');
  return [
    createGauge(
      'gatehouse_feed_state',
      'Whether the threat feed is in this state.',
      all.flatMap(({ labels, state }) => toStateSamples(labels, feedState.options, state)),
    ),
    createGauge(
      'gatehouse_feed_entries',
      'Entries of the threat feed in use.',
      all.map(({ labels, entries }) => ({ labels, value: entries })),
    ),
    createGauge(
      'gatehouse_feed_fetched_timestamp_seconds',
      'When the data in use was fetched. Absent while the feed is off or has no data.',
      inUse.flatMap(({ labels, fetchedAt }) => toTimeSample(labels, fetchedAt)),
    ),
    createGauge(
      'gatehouse_feed_checked_timestamp_seconds',
      'When the publisher last said what is current, changed or not. Absent while the feed is off or has no data.',
      inUse.flatMap(({ labels, checkedAt }) => toTimeSample(labels, checkedAt)),
    ),
  ];
}
