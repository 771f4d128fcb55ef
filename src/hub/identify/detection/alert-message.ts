// The alert about a detection: a title, and its facts in order of importance.
import type { Alert } from '#contract/alert-records.ts';
import type { Threat } from '#contract/model.ts';
import type { RetroMatch } from '#contract/retro-match.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { ChatAlert } from '../../base/chat-alert.ts';
import type { Detected, Labels } from './detection-log.ts';

const feeds: Readonly<Record<Threat['source'], string>> = {
  feed_c2: 'Feodo Tracker',
  feed_ioc: 'ThreatFox',
  feed_url: 'URLhaus',
  feed_drop: 'Spamhaus DROP',
};

export function toDetectionAlert(key: string, detected: Detected, labels: Labels): ChatAlert {
  const { at, src, dst, dport, proto, threat, intervalMs, obsCount, retro } = detected;
  const facts: Fact[] = [
    ['Device', joinPresent(' ', labels.srcDnsName ?? labels.srcMdnsName, src)],
    ['Destination', dst && joinPresent(' ', labels.dstHost, dst)],
    ['Service', dst && joinPresent(' ', proto ?? null, dport ? String(dport) : null)],
    ['Contacted', retro && `${formatSecond(retro.firstSeen)} until ${formatSecond(retro.lastSeen)}`],
    ['Connections', retro && String(retro.flows)],
    ['Listed by', threat && joinPresent(': ', feeds[threat.source], threat.tag)],
    ['Listed', retro && formatListed(retro)],
    ['Confidence', threat?.confidence],
    ['Still active', retro && (retro.isOngoing ? 'yes' : 'no, no recent contact')],
    ['Every', intervalMs === undefined ? null : `${formatDuration(intervalMs)}, seen ${obsCount} times`],
    ['Owner', joinPresent(', ', labels.org, labels.country)],
    ['MAC', labels.srcMac && joinPresent(', ', labels.srcMac, labels.srcVendor)],
  ];
  return {
    key,
    at,
    title: formatTitle({ type: detected.type, isDanger: threat?.level === 'danger', isListed: Boolean(threat), retro }),
    facts: keepPresent(facts),
  };
}

/** The message that an alert is resolved. `by`: who did it; null: the hub, since no list names the destination any more. */
export function toResolvedAlert(key: string, alert: Alert, by: string | null, at: number): ChatAlert {
  const { kind, level, lead, devices, deviceCount, target, note } = alert;
  const [device] = devices;
  const name = device && joinPresent(' ', device.srcDnsName ?? device.srcMdnsName, device.src);
  const title = formatTitle({
    type: kind,
    isDanger: level === 'danger',
    isListed: lead.threatSource !== null,
    retro: lead.retro,
  });
  const facts: Fact[] = [
    ['Device', name && joinPresent(', ', name, deviceCount > 1 ? `${deviceCount - 1} more` : null)],
    ['Destination', target?.replace(/ 0$/, '')],
    ['Resolved by', by ?? 'the hub: no list names the destination any more'],
    ['Note', note],
  ];
  return { key, at, title: `Resolved: ${title}`, facts: keepPresent(facts) };
}

type Fact = [label: string, value: string | null | undefined];

function keepPresent(facts: readonly Fact[]): ChatAlert['facts'] {
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []));
}

interface TitleFacts extends Pick<Alert['lead'], 'type'> {
  isDanger: boolean;
  isListed: boolean;
  retro?: Pick<RetroMatch, 'cause'> | null | undefined;
}

function formatTitle({ type, isDanger, isListed, retro }: TitleFacts): string {
  switch (type) {
    case 'threat':
      return isDanger ? 'Known-bad destination' : 'Possibly bad destination';
    case 'retro_match':
      return retro?.cause === 'settings' ? 'Contacted before its rating changed' : 'Contacted before it was listed';
    case 'new_device':
      return 'New device';
    case 'beacon':
      return isListed ? 'Regular beacon to a listed destination' : 'Regular beacon';
  }
}

/** The period in which the destination was listed, as far as it is known. */
function formatListed({ cause, previousAt, listedAt }: RetroMatch): string {
  if (cause === 'settings') {
    return `since ${formatSecond(listedAt)} or earlier; new settings or an update changed its rating`;
  }
  return previousAt === null
    ? `in the first list that the hub loaded, at ${formatSecond(listedAt)}`
    : `between ${formatSecond(previousAt)} and ${formatSecond(listedAt)}`;
}

/** UTC, such as `2026-11-27T19:24:05Z`. */
function formatSecond(at: number): string {
  return `${isoTime(at).slice(0, 19)}Z`;
}

function joinPresent(by: string, ...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null).join(by);
}

/** A duration for people: `45 s`, `5 min`, `1.5 h`. */
function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) {
    return `${seconds} s`;
  }
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;
}
