// The alert about a detection: a title, and its facts in order of importance.
import type { Threat } from '#contract/model.ts';
import type { ChatAlert } from '../chat/alert.ts';
import type { Detected, Labels } from './detection-log.ts';

const feeds: Readonly<Record<Threat['source'], string>> = {
  feed_c2: 'Feodo Tracker',
  feed_ioc: 'ThreatFox',
  feed_url: 'URLhaus',
  feed_drop: 'Spamhaus DROP',
};

export function alertOf(key: string, detected: Detected, labels: Labels): ChatAlert {
  const { at, src, dst, dport, proto, threat, intervalMs, obsCount } = detected;
  const facts: [label: string, value: string | null | undefined][] = [
    ['Device', joined(' ', labels.srcDnsName ?? labels.srcMdnsName, src)],
    ['Destination', dst && joined(' ', labels.dstHost, dst)],
    ['Service', dst && `${proto} ${dport}`],
    ['Listed by', threat && joined(': ', feeds[threat.source], threat.tag)],
    ['Confidence', threat?.confidence],
    ['Every', intervalMs === undefined ? null : `${duration(intervalMs)}, seen ${obsCount} times`],
    ['Belongs to', joined(', ', labels.org, labels.country)],
    ['MAC', labels.srcMac && joined(', ', labels.srcMac, labels.srcVendor)],
  ];
  return {
    key,
    at,
    title: titleOf(detected),
    facts: facts.flatMap(([label, value]) => (value ? [{ label, value }] : [])),
  };
}

function titleOf({ type, threat }: Detected): string {
  switch (type) {
    case 'threat':
      return threat?.level === 'danger'
        ? 'Contact with a listed destination'
        : 'Possible contact with a listed destination';
    case 'new_device':
      return 'New device';
    case 'beacon':
      return threat ? 'Regular contact with a listed destination' : 'Regular contact';
  }
}

function joined(by: string, ...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null).join(by);
}

/** A duration for people: `45 s`, `5 min`, `1.5 h`. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) {
    return `${seconds} s`;
  }
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;
}
