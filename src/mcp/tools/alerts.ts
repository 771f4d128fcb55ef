// The detection log: threats, new devices and beacons.
import { z } from 'zod';
import { type DetectionEntry, detectionEntry, detectionTypes } from '#contract/detection.ts';
import { period, readTool, shown, timeOf, windowOf } from '../tool.ts';

const text = z.string().nullable();

export const getAlerts = readTool({
  name: 'get_alerts',
  title: 'Alerts',
  permission: 'network.read',
  description:
    'Lists what was detected in a period, newest first: threats, new devices, and beacons (regular contacts).',
  input: z.strictObject({ period, limit: shown(200, 50) }),
  output: z.object({
    period: z.string(),
    count: z.int().describe('Rows shown.'),
    truncated: z.boolean().describe('There are more in the period than are shown.'),
    alerts: z.array(
      z.object({
        type: z.enum(detectionTypes),
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
      }),
    ),
  }),
  async call({ period: length, limit }, { hub, now }) {
    const { logs, truncated } = await hub.detection.log({ query: { ...windowOf(length, now), limit: String(limit) } });
    return { period: length, count: logs.length, truncated, alerts: logs.map(alertOf) };
  },
});

function alertOf(entry: DetectionEntry) {
  const { type, src, srcMac, srcVendor, dst, dstHost: host, dport, proto, country, org } = entry;
  return {
    ...{ type, detectedAt: timeOf(entry.detectedAt), src, srcMac, srcVendor, dst, host, dport, proto, country, org },
    ...{ feed: entry.threatSource, confidence: entry.threatConfidence, detail: detailOf(entry) },
  };
}

function detailOf({ type, threatTag, intervalMs, obsCount }: DetectionEntry): string | null {
  return type === 'beacon' && intervalMs !== null
    ? `every ${Math.round(intervalMs / 1000)} s, seen ${obsCount ?? 0} times`
    : threatTag;
}
