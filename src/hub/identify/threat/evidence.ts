// Why a connection is not safe, for people.
import type { ThreatEvidence } from '#contract/connection-detail.ts';
import type { Threat } from '#contract/model.ts';
import type { Feed } from '#contract/threat.ts';
import { type StoredRetro, toRetroEvidence } from './retro-evidence.ts';

interface Judged {
  threat: Threat;
  dport: number;
  firstSeen: number;
  /** Null when it did not run before it was listed. */
  retro: StoredRetro | null;
  /** The name of the destination is only what its owner published. */
  isPublished: boolean;
}

/** `feeds` as they are now. */
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
