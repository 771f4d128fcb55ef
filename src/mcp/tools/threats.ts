// Threats: how many sessions, and which destinations.
import { z } from 'zod';
import { threatConnections } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import { createLimitSchema, defineReadTool, period, toWindow } from '../tool.ts';
import { known } from './shapes.ts';

export const getThreatSummary = defineReadTool({
  name: 'get_threat_summary',
  title: 'Threat summary',
  permission: 'network.read',
  description: 'Counts the sessions of a period that are safe, warn (low confidence) or danger (high confidence).',
  input: z.strictObject({ period }),
  output: z.object({
    period: z.string(),
    safe: z.int(),
    warn: z.int(),
    danger: z.int(),
    total: z.int(),
    ...known,
  }),
  async call({ period: length }, { hub, now }) {
    const counts = await hub.connections.threatCounts({ query: toWindow(length, now) });
    return { ...counts, period: length, total: counts.safe + counts.warn + counts.danger };
  },
});

export const getThreatConnections = defineReadTool({
  name: 'get_threat_connections',
  title: 'Threat connections',
  permission: 'network.read',
  description:
    'Lists the destinations of a period that one of four public threat feeds names, most sessions first, with feed, ' +
    'confidence and what matched.',
  input: z.strictObject({
    period,
    confidence: z.enum(['low', 'high', 'all']).default('all').describe('Only threats of this confidence.'),
    limit: createLimitSchema(limits.threatConnections, limits.threatConnectionsDefault),
  }),
  output: z.object({
    period: z.string(),
    confidence: z.enum(['low', 'high', 'all']),
    count: z.int().describe('Rows shown.'),
    total: z.int().describe('Destinations that match, shown or not.'),
    threats: threatConnections.shape.threats,
    ...known,
  }),
  async call({ period: length, confidence, limit }, { hub, now }) {
    const query = { ...toWindow(length, now), confidence, limit: String(limit) };
    return { ...(await hub.connections.threatConnections({ query })), period: length, confidence };
  },
});
