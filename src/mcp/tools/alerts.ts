// The detection log: threats, new devices, beacons and retro-matches.
import { z } from 'zod';
import { type DetectionEntry, detectionEntry, detectionTypes } from '#contract/detection.ts';
import { type RetroMatch, retroMatch } from '#contract/retro-match.ts';
import { createLimitSchema, defineReadTool, formatTime, period, toWindow } from '../tool.ts';
import { text } from './shapes.ts';

export const getAlerts = defineReadTool({
  name: 'get_alerts',
  title: 'Alerts',
  permission: 'network.read',
  description:
    'Lists what was detected in a period, newest first: threats, new devices, beacons (regular contacts), and ' +
    'retro-matches (a destination was contacted before it was listed). state says whether people dealt with it.',
  input: z.strictObject({ period, limit: createLimitSchema(200, 50) }),
  output: z.object({
    period: z.string(),
    count: z.int().describe('Rows shown.'),
    truncated: z.boolean().describe('There are more in the period than are shown.'),
    alerts: z.array(
      z.object({
        type: z.enum(detectionTypes),
        state: detectionEntry.shape.alertState,
        detectedAt: z.string().describe('ISO 8601, UTC.'),
        src: text,
        srcMac: text,
        srcVendor: text,
        dst: text,
        host: text,
        dport: z.int().nullable(),
        proto: text,
        country: text,
        org: text,
        feed: detectionEntry.shape.threatSource,
        confidence: detectionEntry.shape.threatConfidence,
        detail: text.describe('Of a threat what its feed calls it; of a beacon how often it calls.'),
        retro: z
          .object({
            connections: retroMatch.shape.flows.describe('How many connections ran before.'),
            contactedSince: z.string().describe('ISO 8601, UTC.'),
            contactedUntil: z.string().describe('ISO 8601, UTC.'),
            isOngoing: z.boolean().describe('There was traffic just before it was detected.'),
            level: retroMatch.shape.level,
            cause: retroMatch.shape.cause.describe(
              'list: the list of the feed changed; feed_added: it is the first list of it; settings: the list is the same.',
            ),
            notListedAt: text.describe('When its publisher last confirmed the earlier list; null: there was none.'),
            listedAt: z.string().describe('When the list that has the destination was fetched.'),
          })
          .nullable()
          .describe(
            'Of a retro-match: how long the destination was contacted before it was listed, and when that was.',
          ),
      }),
    ),
  }),
  async call({ period: length, limit }, { hub, now }) {
    const { logs, truncated } = await hub.detection.log({ query: { ...toWindow(length, now), limit: String(limit) } });
    return { period: length, count: logs.length, truncated, alerts: logs.map(toAlert) };
  },
});

/** The output schema removes the members that it does not name. */
function toAlert(entry: DetectionEntry) {
  return {
    ...entry,
    state: entry.alertState,
    detectedAt: formatTime(entry.detectedAt),
    host: entry.dstHost,
    feed: entry.threatSource,
    confidence: entry.threatConfidence,
    detail: alertDetail(entry),
    retro: entry.retro && toRetro(entry.retro),
  };
}

function toRetro(match: RetroMatch) {
  return {
    ...match,
    connections: match.flows,
    contactedSince: formatTime(match.firstSeen),
    contactedUntil: formatTime(match.lastSeen),
    notListedAt: formatTime(match.previousAt),
    listedAt: formatTime(match.listedAt),
  };
}

function alertDetail({ type, threatTag, intervalMs, obsCount }: DetectionEntry): string | null {
  return type === 'beacon' && intervalMs !== null
    ? `every ${Math.round(intervalMs / 1000)} s, seen ${obsCount ?? 0} times`
    : threatTag;
}
