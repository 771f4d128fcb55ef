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
  const { fetchedAt, checkedAt } = feed ?? { fetchedAt: null, checkedAt: null };
  return {
    ...threat,
    feedName: feed?.name ?? threat.source,
    why: explainThreat(threat, connection),
    list: {
      state: feed?.state ?? 'disabled',
      fetchedAt,
      checkedAt,
      ageMs: checkedAt === null ? null : Math.max(0, now - checkedAt),
    },
    retro: toRetroEvidence(retro, { feed: threat.source, firstSeen }),
  };
}

function explainThreat(
  threat: Threat,
  { dport, isOnlyPublished }: Pick<JudgedConnection, 'dport' | 'isOnlyPublished'>,
): string {
  const { matchType, matchValue, port, confidence, tag } = threat;
  const what = {
    ip: `the address ${matchValue} is listed${port === null ? '' : ` with port ${port}`}`,
    domain: `the name ${matchValue} is listed`,
    cidr: `the range ${matchValue} is listed`,
  }[matchType];
  if (confidence === 'high') {
    return matchType === 'domain' ? `${what}, and a client looked it up` : `${what}, which this connection matches`;
  }
  if (matchType === 'ip' && port !== null && port !== dport) {
    return `${what}; this connection went to port ${dport}`;
  }
  // `documents.ts` adds this to the tag of a hosting platform.
  if (tag?.includes('(needs the URL path)')) {
    return `${what}; many customers share this platform: the feed means one URL on it, and the hub does not see URLs`;
  }
  if (matchType === 'domain' && isOnlyPublished) {
    return `${what}; it comes from reverse DNS, which the owner of the address sets, and no client is known to have looked it up`;
  }
  if (matchType === 'cidr') {
    return `${what}; the threat settings of the hub make a listed range no more than a warning`;
  }
  return `${what}; the feed marks this entry as uncertain, or has not confirmed it for a long time`;
}
