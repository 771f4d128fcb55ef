// Explains to people why a connection has the threat level warn or danger.
import type { ThreatEvidence } from '#contract/connection-detail.ts';
import type { Threat } from '#contract/model.ts';
import type { Feed } from '#contract/threat.ts';
import { type StoredRetro, toRetroEvidence } from './retro-evidence.ts';

interface JudgedConnection {
  threat: Threat;
  dport: number;
  /** Epoch milliseconds. */
  firstSeen: number;
  /** The change of a list or of settings that made an older connection a threat; null when it was one from the start. */
  retro: StoredRetro | null;
  /** The host name comes from reverse DNS, which the owner of the address sets; no client is known to have resolved it. */
  isOnlyPublished: boolean;
}

/** `feeds` are the current states of the feeds, not those at the time of the connection. */
export function toThreatEvidence(
  { threat, firstSeen, retro, ...connection }: JudgedConnection,
  feeds: readonly Feed[],
  now: number,
): ThreatEvidence {
  const feed = feeds.find(({ id }) => id === threat.source);
  const reason = findReason(threat, connection);
  const { fetchedAt, checkedAt } = feed ?? { fetchedAt: null, checkedAt: null };
  return {
    ...threat,
    feedName: feed?.name ?? threat.source,
    reason,
    why: explainReason(reason, threat, connection.dport),
    list: {
      state: feed?.state ?? 'disabled',
      fetchedAt,
      checkedAt,
      ageMs: checkedAt === null ? null : Math.max(0, now - checkedAt),
    },
    retro: toRetroEvidence(retro, { feed: threat.source, firstSeen }),
  };
}

type Reason = ThreatEvidence['reason'];

function findReason(
  { matchType, port, confidence, tag }: Threat,
  { dport, isOnlyPublished }: Pick<JudgedConnection, 'dport' | 'isOnlyPublished'>,
): Reason {
  if (confidence === 'high') {
    return matchType === 'domain' ? 'looked_up' : 'matches';
  }
  if (matchType === 'ip' && port !== null && port !== dport) {
    return 'other_port';
  }
  // `documents.ts` adds this to the tag of a hosting platform.
  if (tag?.includes('(needs the URL path)')) {
    return 'platform';
  }
  if (matchType === 'domain' && isOnlyPublished) {
    return 'published';
  }
  return matchType === 'cidr' ? 'range' : 'uncertain';
}

function explainReason(reason: Reason, { matchType, matchValue, port }: Threat, dport: number): string {
  const what = {
    ip: `the address ${matchValue} is listed${port === null ? '' : ` with port ${port}`}`,
    domain: `the name ${matchValue} is listed`,
    cidr: `the range ${matchValue} is listed`,
  }[matchType];
  const ends: Readonly<Record<Reason, string>> = {
    matches: ', which this connection matches',
    looked_up: ', and a client looked it up',
    other_port: `; this connection went to port ${dport}`,
    platform: '; many customers share this platform: the feed means one URL on it, and the hub does not see URLs',
    published:
      '; it comes from reverse DNS, which the owner of the address sets, and no client is known to have looked it up',
    range: '; the threat settings of the hub make a listed range no more than a warning',
    uncertain: '; the feed marks this entry as uncertain, or has not confirmed it for a long time',
  };
  return `${what}${ends[reason]}`;
}
