// An alert in words, and the address of its connections in the log.

import { now } from '../clock.ts';
import type { Alert, Detection } from '../state/alerts.ts';
import { range, rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { dateTime, duration, joinWords, maker, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { showPorts } from './ports.ts';

type Named = Pick<Detection, 'src' | 'srcDnsName' | 'srcMdnsName' | 'srcMac'>;

export function alertDevice({ src, srcDnsName, srcMdnsName, srcMac }: Named): string {
  return srcDnsName ?? srcMdnsName ?? src ?? srcMac ?? text.value.detail.unknown;
}

export function alertDevices({ lead, deviceCount }: Alert): string {
  return deviceCount > 1 ? text.value.alerts.deviceCount(number(deviceCount)) : alertDevice(lead);
}

/** A hub that is newer than this page may send a type that this page has no words for. */
export function alertKind(type: string): string {
  const t = text.value.alerts;
  const known: Readonly<Record<string, string>> = t.types;
  return Object.hasOwn(known, type) ? (known[type] ?? type) : t.otherType(type);
}

/** Host or address of the destination, with the port if there is only one; null without a destination. */
export function alertTarget({ lead: { dst, dstHost, dport }, ports }: Alert): string | null {
  return dst === null ? null : `${dstHost ?? dst}${!dport || ports.length > 1 ? '' : `:${dport}`}`;
}

export function alertTitle(alert: Alert): string {
  const target = alertTarget(alert);
  return `${alertKind(alert.kind)}: ${alertDevices(alert)}${target === null ? '' : ` → ${target}`}`;
}

/** Why it was detected: since when, lists, tag, interval, network card. */
export function alertReasons({ kind, lead, lists, ports }: Alert): string[] {
  const { threatTag, intervalMs, obsCount, srcVendor, src, retro } = lead;
  const t = text.value;
  const names: Readonly<Record<string, string>> = t.feeds;
  const shown = showPorts(ports);
  return [
    retro === null ? null : describeRetroMatch(retro),
    retro?.isOngoing ? t.alerts.goesOn : null,
    ...lists.map((list) => t.alerts.listedBy(names[list] ?? list)),
    threatTag,
    shown.length > 1 ? t.alerts.ports(joinWords(shown.map(String))) : null,
    intervalMs === null ? null : t.alerts.every(duration(intervalMs), number(obsCount ?? 0)),
    ...(kind === 'new_device' ? [src, maker(srcVendor)] : []),
  ].filter((part) => part !== null);
}

/** Without an earlier list it is unknown whether the destination was listed then. */
function describeRetroMatch({ firstSeen, cause }: NonNullable<Detection['retro']>): string {
  const t = text.value.alerts;
  const since = dateTime(firstSeen);
  return cause === 'list' ? t.contactedSince(since) : t.contactedBeforeList(since);
}

/** A connection is older than the read that detected it. */
const readMs = 3_600_000;

/** The URL of the log of its connections: in the period shown when that has all of it, else from its beginning to its end. */
export function alertLogHref({ kind, lead, target, deviceCount, firstAt, lastAt }: Alert): string {
  const { from, to, name } = range.value;
  const first = lead.retro?.firstSeen ?? firstAt - readMs;
  const isInPeriod = from <= (lead.retro?.firstSeen ?? firstAt) && (name !== null || lastAt <= to);
  const period = isInPeriod ? rangeParameters.value : { from: first, to: Math.min(lastAt + readMs, now()) };
  // Detections of other ports of an address may be held back: the log shows all of its ports.
  const destination = target === `${lead.dst} ${lead.dport}` ? lead.dst : lead.dstHost;
  return hrefTo('connections', {
    ...period,
    ...(deviceCount === 1 ? { fSrc: lead.src, fSrcMode: 'exact' } : {}),
    ...(kind === 'new_device' ? {} : { fDst: destination, fDstMode: 'exact' }),
  });
}

export function deviceLogHref(src: string | null): string {
  return hrefTo('connections', { ...rangeParameters.value, fSrc: src, fSrcMode: 'exact' });
}
