// The detections of the period that the chart marks: those that are more than a new device.
import { ask } from '../api/client.ts';
import { alertKind } from '../parts/alert-words.ts';
import type { Detection } from '../state/alerts.ts';
import { rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { words } from '../text/chart/words.ts';
import { number } from '../text/format.ts';

export const markLevels = ['danger', 'warn'] as const;
export type MarkLevel = (typeof markLevels)[number];

/** Most marks of one level. */
export const mostMarks = 200;

export interface Marks {
  of: Readonly<Record<MarkLevel, readonly Detection[]>>;
  /** There are more detections than these. */
  isCut: boolean;
}

export async function loadMarks(period: { from: string; to: string }, signal: AbortSignal): Promise<Marks> {
  const load = (level: MarkLevel) =>
    ask('GET /api/notification-log', { query: { ...period, level, limit: String(mostMarks) } }, signal);
  const [danger, warn] = await Promise.all([load('danger'), load('warn')]);
  return { of: { danger: danger.logs, warn: warn.logs }, isCut: danger.truncated || warn.truncated };
}

/** The detections from the instant `from` until before `to`. */
export function marksBetween({ of }: Marks, from: number, to: number): Record<MarkLevel, Detection[]> {
  const within = ({ detectedAt }: Detection) => detectedAt >= from && detectedAt < to;
  return { danger: of.danger.filter(within), warn: of.warn.filter(within) };
}

/** `2 alerts (Known-bad destination)`; null without any. */
export function describeMarks({ danger, warn }: Record<MarkLevel, readonly Detection[]>): string | null {
  const all = [...danger, ...warn];
  const kinds = new Set(all.map(({ type }) => alertKind(type)));
  return all.length === 0 ? null : words.value.alerts(all.length, number(all.length), [...kinds].join(', '));
}

/** The URL of the alert of a detection; null when it is gone. */
export const markHref = ({ alertId }: Detection): string | null =>
  alertId === null ? null : hrefTo('alerts', { ...rangeParameters.value, alert: String(alertId) });

/** The newest detection of each alert, and each without one; the most serious first. */
export function listMarked({ danger, warn }: Record<MarkLevel, readonly Detection[]>): Detection[] {
  const all = [...danger, ...warn];
  return all.filter(
    ({ alertId }, index) => alertId === null || all.findIndex((one) => one.alertId === alertId) === index,
  );
}
