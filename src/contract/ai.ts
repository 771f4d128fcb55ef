// Insights: computed from the connection log alone, a period and the one before, or by a provider that is asked
// (docs/reference/rest-api.md#ai).
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { aiAnalysisRoutes } from './ai-analysis.ts';
import { aiChatRoutes } from './ai-chat.ts';
import { aiConfigRoutes } from './ai-config.ts';
import { aiNotificationRoutes } from './ai-notifications.ts';
import { aiUsageRoutes } from './ai-usage.ts';
import { known } from './connection-reports.ts';
import { range, requireStart, scope, wholeScope } from './connections.ts';
import { limits } from './limits.ts';
import { coverage } from './model.ts';
import { routerKind } from './routers.ts';

export const collectionHealths = ['off', 'ok', 'partial', 'error'] as const;

/** Holds `from` and every instant before `to`: the two ranges of an answer share no instant. */
const period = z.object({ from: z.int(), to: z.int(), durationMs: z.int() });

/** Connections seen in the period, in all and of each threat level; their source and destination addresses. */
const counts = z.object({
  connections: z.int(),
  devices: z.int(),
  destinations: z.int(),
  safe: z.int(),
  warn: z.int(),
  danger: z.int(),
});

/** How the routers are read now, without anything that opens one. */
export const collection = z.object({
  /** `off`: no router is enabled; `partial`: some of those that are enabled are not read. */
  health: z.enum(collectionHealths),
  enabledCount: z.int(),
  /** Of these, the ones whose last read went well. */
  readyCount: z.int(),
  /** Rows of the last reads of all of them. */
  reportedSessions: z.int(),
  lastUpdatedAt: z.int().nullable(),
  routers: z.array(
    z.object({
      id: z.string(),
      kind: routerKind,
      /** What people call it: its display name, else its host name, else its id. */
      displayName: z.string(),
      enabled: z.boolean(),
      ready: z.boolean(),
      sessionCount: z.int(),
      lastSuccessAt: z.int().nullable(),
    }),
  ),
});

export const facts = z.object({
  serverTime: z.int(),
  range: period,
  /** Of the same length, and ends where `range` begins. */
  previousRange: period,
  collection,
  sourceScope: z.object({ sourceKind: z.enum(['router', 'agent']), sourceId: z.string() }).nullable(),
  current: counts,
  previous: counts,
  /** Of the current period, most connections first; at most 20. */
  topServices: z.array(z.object({ port: z.int(), protocol: z.string(), connections: z.int() })),
  /** Of the current period, most connections first; at most 15. */
  topDestinations: z.array(
    z.object({
      ip: z.string(),
      host: z.string().nullable(),
      org: z.string().nullable(),
      country: z.string().nullable(),
      connections: z.int(),
    }),
  ),
  /** `coverage` is of the current period; `judged` is of now, and holds for both. */
  ...known,
  previousCoverage: coverage,
});
export type Facts = z.output<typeof facts>;

export const factsQuery = z.strictObject({ ...range, ...scope }).superRefine((query, context) => {
  wholeScope(query, context);
  requireStart(query, context);
});

export const aiRoutes = {
  facts: get('/api/ai/facts', can('network.read'), {
    summary: `Counts of a period of at most ${limits.factsMs / 86_400_000} days and of the one before, from this hub alone; nothing leaves it`,
    query: factsQuery,
    reply: { 200: facts },
  }),
  ...aiConfigRoutes,
  ...aiAnalysisRoutes,
  ...aiNotificationRoutes,
  ...aiUsageRoutes,
  ...aiChatRoutes,
} as const satisfies RouteTable<Access>;
