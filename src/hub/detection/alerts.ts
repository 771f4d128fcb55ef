// What people are told of a detection: a title in our words, and its facts in order of importance.
import type { Threat } from '#contract/model.ts';
import type { ChatAlert } from '../chat/alert.ts';
import type { Detected, Words } from './detection-log.ts';

const feeds: Readonly<Record<Threat['source'], string>> = {
  feed_c2: 'Feodo Tracker',
  feed_ioc: 'ThreatFox',
  feed_url: 'URLhaus',
  feed_drop: 'Spamhaus DROP',
};

export function alertOf(key: string, detected: Detected, words: Words): ChatAlert {
  const { at, src, dst, dport, proto, threat, intervalMs, obsCount } = detected;
  const device = words.srcDnsName ?? words.srcMdnsName;
  const place = [words.org, words.country].filter((one) => one !== null).join(', ');
  const facts: [label: string, value: string | null | undefined][] = [
    ['Device', device === null ? src : `${device} ${src}`],
    ['Destination', dst === undefined ? null : [words.dstHost, dst].filter((one) => one !== null).join(' ')],
    ['Service', dst === undefined ? null : `${proto} ${dport}`],
    ['Listed by', threat && `${feeds[threat.source]}${threat.tag === null ? '' : `: ${threat.tag}`}`],
    ['Confidence', threat?.confidence],
    ['Every', intervalMs === undefined ? null : `${duration(intervalMs)}, seen ${obsCount} times`],
    ['Belongs to', place === '' ? null : place],
    ['MAC', words.srcMac && [words.srcMac, words.srcVendor].filter((one) => one !== null).join(', ')],
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

/** As people say it: `45 s`, `5 min`, `1.5 h`. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) {
    return `${seconds} s`;
  }
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;
}
