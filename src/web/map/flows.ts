// Converts the summary to the ends of edges: devices, targets and addresses.
import type { ThreatLevel } from '#contract/model.ts';
import type { Reply } from '../api/client.ts';

export type Summary = Reply<'GET /api/connections/summary'>;
export type Edge = Summary['byEdge'][number];

export interface End {
  /** IP address of a device, or key of a target. */
  key: string;
  name: string;
  /** Distinguishes ends of the same name. */
  more: string;
  count: number;
  level: ThreatLevel;
  lastSeen: number;
}

export function toDevices({ byDevice }: Summary): End[] {
  return byDevice.map(({ src, srcDnsName, srcMdnsName, count, level, lastSeen }) => {
    const name = srcDnsName ?? srcMdnsName ?? src;
    return { key: src, name, more: name === src ? '' : src, count, level, lastSeen };
  });
}

export function toTargets({ byTarget }: Summary): End[] {
  return byTarget.map(({ key, label, count, level, lastSeen }) => {
    return { key, name: label, more: '', count, level, lastSeen };
  });
}

/** Addresses of the destinations; of one target, when it is selected. */
export function toAddresses({ byDst }: Summary): End[] {
  return byDst.map(({ dst, dstHost, count, threat, lastSeen }) => {
    return { key: dst, name: dst, more: dstHost ?? '', count, level: threat?.level ?? 'safe', lastSeen };
  });
}

const ranks: Record<ThreatLevel, number> = { danger: 0, warn: 1, safe: 2 };

/** At most `most` of `ends`, which are sorted by size: listed ones first. Keeps the order of `ends`. */
export function pickLargest<T extends { level: ThreatLevel }>(ends: readonly T[], most: number): T[] {
  const first = ends.toSorted((one, other) => ranks[one.level] - ranks[other.level]);
  const picked = new Set(first.slice(0, most));
  return ends.filter((end) => picked.has(end));
}

export const sumCounts = (ends: readonly { count: number }[]) => ends.reduce((sum, { count }) => sum + count, 0);
