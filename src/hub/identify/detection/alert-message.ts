// The event about a detection: a title, and its facts in order of importance.
import type { Alert } from '#contract/alert-records.ts';
import type { ToldFact } from '#contract/destinations.ts';
import type { DetectionType } from '#contract/detection.ts';
import type { Threat } from '#contract/model.ts';
import type { RetroMatch } from '#contract/retro-match.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { ToldEvent } from '../../base/told-event.ts';
import type { Detected, Labels } from './detection-log.ts';

const feeds: Readonly<Record<Threat['source'], string>> = {
  feed_c2: 'Feodo Tracker',
  feed_ioc: 'ThreatFox',
  feed_url: 'URLhaus',
  feed_drop: 'Spamhaus DROP',
};

const kinds = { threat: 'threat', new_device: 'newDevice', beacon: 'beacon', retro_match: 'retroMatch' } as const;

export function toToldKind<T extends DetectionType>(type: T): (typeof kinds)[T] {
  return kinds[type];
}

export function toDetectionEvent(key: string, detected: Detected, labels: Labels): ToldEvent {
  const { at, src, dst, dport, proto, threat, intervalMs, obsCount, retro } = detected;
  const facts: Fact[] = [
    ['device', 'Device', joinPresent(' ', labels.srcDnsName ?? labels.srcMdnsName, src)],
    ['destination', 'Destination', dst && joinPresent(' ', labels.dstHost, dst)],
    ['service', 'Service', dst && joinPresent(' ', proto ?? null, dport ? String(dport) : null)],
    ['contacted', 'Contacted', retro && `${formatSecond(retro.firstSeen)} until ${formatSecond(retro.lastSeen)}`],
    ['connections', 'Connections', retro && String(retro.flows)],
    ['listedBy', 'Listed by', threat && joinPresent(': ', feeds[threat.source], threat.tag)],
    ['listed', 'Listed', retro && formatListed(retro)],
    ['confidence', 'Confidence', threat?.confidence],
    ['active', 'Still active', retro && (retro.isOngoing ? 'yes' : 'no, no recent contact')],
    ['every', 'Every', intervalMs === undefined ? null : `${formatDuration(intervalMs)}, seen ${obsCount} times`],
    ['owner', 'Owner', joinPresent(', ', labels.org, labels.country)],
    ['mac', 'MAC', labels.srcMac && joinPresent(', ', labels.srcMac, labels.srcVendor)],
  ];
  const level = threat?.level === 'danger' ? 'danger' : detected.type === 'new_device' ? 'info' : 'warning';
  return {
    key,
    kind: toToldKind(detected.type),
    state: 'raised',
    level,
    at,
    title: formatTitle({ type: detected.type, isDanger: threat?.level === 'danger', isListed: Boolean(threat), retro }),
    facts: keepPresent(facts),
  };
}

/** The event that an alert is resolved. `by`: who did it; null: the hub, since no list names the destination any more. */
export function toResolvedEvent(key: string, alert: Alert, by: string | null, at: number): ToldEvent {
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
    ['device', 'Device', name && joinPresent(', ', name, deviceCount > 1 ? `${deviceCount - 1} more` : null)],
    ['destination', 'Destination', target?.replace(/ 0$/, '')],
    ['resolvedBy', 'Resolved by', by ?? 'the hub: no list names the destination any more'],
    ['note', 'Note', note],
  ];
  return {
    key,
    kind: toToldKind(kind),
    state: 'resolved',
    level: level === 'warn' ? 'warning' : level,
    at,
    title: `Resolved: ${title}`,
    facts: keepPresent(facts),
  };
}

type Fact = [name: ToldFact, label: string, value: string | null | undefined];

function keepPresent(facts: readonly Fact[]): ToldEvent['facts'] {
  return facts.flatMap(([name, label, value]) => (value ? [{ name, label, value }] : []));
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
