// Why a connection is not safe, for people.
import type { ThreatEvidence } from '#contract/connection-detail.ts';
import type { Threat } from '#contract/model.ts';
import type { Feed } from '#contract/threat.ts';
import { type StoredRetro, toRetroEvidence } from './retro-evidence.ts';

interface Judged {
  threat: Threat;
  dport: number;
  firstSeen: number;
  /** The stored list change, if the connection ran before its destination was listed; else null. */
  retro: StoredRetro | null;
  /** Whether the name of the destination is only published by its owner, and no client resolved it. */
  isPublished: boolean;
}

/** `feeds` are the current states of the feeds, not those at the time of the connection. */
export function toThreatEvidence(
  { threat, firstSeen, retro, ...judged }: Judged,
  feeds: readonly Feed[],
  now: number,
): ThreatEvidence {
  const feed = feeds.find(({ id }) => id === threat.source);
  const { fetchedAt, checkedAt } = feed ?? { fetchedAt: null, checkedAt: null };
  return {
    ...threat,
    feedName: feed?.name ?? threat.source,
    why: explainThreat(threat, judged),
    list: {
      state: feed?.state ?? 'disabled',
      fetchedAt,
      checkedAt,
      ageMs: checkedAt === null ? null : Math.max(0, now - checkedAt),
    },
    retro: toRetroEvidence(retro, { feed: threat.source, firstSeen }),
  };
}

function explainThreat(threat: Threat, { dport, isPublished }: Pick<Judged, 'dport' | 'isPublished'>): string {
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
  if (tag?.includes('(needs the URL path)')) {
    return `${what}, a platform of many customers: one URL of it is meant, which the hub does not see`;
  }
  if (matchType === 'domain' && isPublished) {
    return `${what}; it is only what the owner of the address published, no client is known to have looked it up`;
  }
  return `${what}; the feed itself lists it as uncertain, or confirmed it long ago`;
}
