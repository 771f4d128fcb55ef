// The detections of the period that the chart marks: those that are more than a new device.
import { ask } from '../api/client.ts';
import { alertKind } from '../parts/alert-words.ts';
import type { Detection } from '../state/alerts.ts';
import { rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { words } from '../text/chart/words.ts';
import { joinWords, number } from '../text/format.ts';

export const markLevels = ['danger', 'warn'] as const;
export type MarkLevel = (typeof markLevels)[number];

/** Most marks of one level. */
export const mostMarks = 200;

export type MarkedDetection = Detection & { readonly level: MarkLevel };

export interface Marks {
  /** The most serious first, then the newest. */
  detections: readonly MarkedDetection[];
  /** There are more detections than these. */
  isCut: boolean;
}

export async function loadMarks(period: { from: string; to: string }, signal: AbortSignal): Promise<Marks> {
  const pages = await Promise.all(
    markLevels.map(async (level) => {
      const query = { ...period, level, limit: String(mostMarks) };
      const { logs, truncated } = await ask('GET /api/notification-log', { query }, signal);
      return { truncated, detections: logs.map((one) => ({ ...one, level })) };
    }),
  );
  return {
    detections: pages.flatMap(({ detections }) => detections),
    isCut: pages.some(({ truncated }) => truncated),
  };
}

/** The detections from the instant `from` until before `to`. */
export function marksBetween({ detections }: Marks, from: number, to: number): MarkedDetection[] {
  return detections.filter(({ detectedAt }) => detectedAt >= from && detectedAt < to);
}

/** `2 alerts (Known-bad destination)`; null without any. */
export function describeMarks(detections: readonly Detection[]): string | null {
  const { length } = detections;
  const kinds = new Set(detections.map(({ type }) => alertKind(type)));
  return length === 0 ? null : words.value.alerts(length, number(length), joinWords([...kinds]));
}

/** Returns the URL of the alert of a detection; null when the alert was deleted. */
export const markHref = ({ alertId }: Detection): string | null =>
  alertId === null ? null : hrefTo('alerts', { ...rangeParameters.value, alert: String(alertId) });

/** Returns the first detection of each alert, and all detections that belong to no alert. */
export function listMarked(detections: readonly MarkedDetection[]): MarkedDetection[] {
  const alerts = new Set<number>();
  return detections.filter(({ alertId }) => alertId === null || (!alerts.has(alertId) && alerts.add(alertId)));
}
