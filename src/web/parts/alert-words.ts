// A detection in words, and the address of its connections in the log.

import type { Detection } from '../state/causes.ts';
import { hrefTo, type Parameter } from '../state/url.ts';
import { dateTime, duration, maker, number } from '../text/format.ts';
import { text } from '../text/text.ts';

export function alertDevice({ src, srcDnsName, srcMdnsName, srcMac }: Detection): string {
  return srcDnsName ?? srcMdnsName ?? src ?? srcMac ?? text.value.detail.unknown;
}

/** A hub that is newer than this page may send a type that this page has no words for. */
export function alertKind(type: string): string {
  const t = text.value.alerts;
  const known: Readonly<Record<string, string>> = t.types;
  return Object.hasOwn(known, type) ? (known[type] ?? type) : t.otherType(type);
}

/** Host or address of the destination, with the port; null without a destination. */
export function alertTarget({ dst, dstHost, dport }: Detection): string | null {
  // Protocols without ports, such as ICMP, have the port 0.
  return dst === null ? null : `${dstHost ?? dst}${dport ? `:${dport}` : ''}`;
}

/** Why it was detected: since when, list, tag, interval, network card. */
export function alertReasons(detection: Detection): string[] {
  const { type, threatSource, threatTag, intervalMs, obsCount, srcVendor, src, retro } = detection;
  const t = text.value;
  return [
    retro === null ? null : describeRetroMatch(retro),
    retro?.isOngoing ? t.alerts.goesOn : null,
    threatSource === null ? null : t.alerts.listedBy(t.feeds[threatSource]),
    threatTag,
    intervalMs === null ? null : t.alerts.every(duration(intervalMs), number(obsCount ?? 0)),
    ...(type === 'new_device' ? [src, maker(srcVendor)] : []),
  ].filter((part) => part !== null);
}

/** Without an earlier list it is unknown whether the destination was listed then. */
function describeRetroMatch({ firstSeen, cause }: NonNullable<Detection['retro']>): string {
  const t = text.value.alerts;
  const since = dateTime(firstSeen);
  return cause === 'list' ? t.contactedSince(since) : t.contactedBeforeList(since);
}

/** The URL of the log of its connections. Those of a retro-match may lie before the period shown. */
export function alertLogHref({ src, dst, retro }: Detection, shown: Readonly<Record<string, Parameter>>): string {
  const period = retro === null ? shown : { from: retro.firstSeen, to: retro.lastSeen };
  const of = { fSrc: src, fSrcMode: 'exact', ...(dst === null ? {} : { fDst: dst, fDstMode: 'exact' }) };
  return hrefTo('connections', { ...period, ...of });
}
