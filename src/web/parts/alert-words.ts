// A detection in words, and the address of its connections in the log.

import type { Detection } from '../state/causes.ts';
import { addressIn, type Parameter } from '../state/url.ts';
import { duration, number } from '../text/format.ts';
import { text } from '../text/text.ts';

export function deviceOf({ src, srcDnsName, srcMdnsName, srcMac }: Detection): string {
  return srcDnsName ?? srcMdnsName ?? src ?? srcMac ?? text.value.detail.unknown;
}

/** A hub that is newer than this page may send a type that this page has no words for. */
export function kindOf(type: string): string {
  const t = text.value.alerts;
  const known: Readonly<Record<string, string>> = t.types;
  return Object.hasOwn(known, type) ? (known[type] ?? type) : t.otherType(type);
}

export function titleOf(detection: Detection): string {
  const { type, dst, dstHost, dport } = detection;
  const target = dst === null ? '' : ` → ${dstHost ?? dst}${dport === null ? '' : `:${dport}`}`;
  return `${kindOf(type)}: ${deviceOf(detection)}${target}`;
}

/** Which list, which tag, how often, whose card. */
export function whyOf({ type, threatSource, threatTag, intervalMs, obsCount, srcVendor, src }: Detection): string[] {
  const t = text.value;
  return [
    threatSource === null ? null : t.alerts.listedBy(t.feeds[threatSource]),
    threatTag,
    intervalMs === null ? null : t.alerts.every(duration(intervalMs), number(obsCount ?? 0)),
    ...(type === 'new_device' ? [src, srcVendor] : []),
  ].filter((part) => part !== null);
}

export function logOf({ src, dst }: Detection, period: Readonly<Record<string, Parameter>>): string {
  const of = { fSrc: src, fSrcMode: 'exact', ...(dst === null ? {} : { fDst: dst, fDstMode: 'exact' }) };
  return addressIn('connections', { ...period, ...of });
}
