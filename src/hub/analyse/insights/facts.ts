// The facts of a period and of the one before, with what limits both.

import type { z } from 'zod';
import type { Facts, factsQuery } from '#contract/ai.ts';
import type { Judged } from '#contract/connection-reports.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { RoutersFeature } from '../../collect/routers/feature.ts';
import type { ConnectionsFeature } from '../../record/connections/feature.ts';
import type { CoverageFeature } from '../../record/coverage/feature.ts';
import { summarizeCollection } from './collection.ts';
import { type Period, resolvePeriod } from './period.ts';

interface FactsOptions {
  clock: Clock;
  connections: Pick<ConnectionsFeature, 'compare'>;
  coverage: Pick<CoverageFeature, 'measure'>;
  threat: { judged: () => Judged };
  routers: Pick<RoutersFeature, 'list'>;
}

export type FactsHandler = (call: { query: z.output<typeof factsQuery>; signal: AbortSignal }) => Promise<Facts>;

export function createFactsHandler({ clock, connections, coverage, threat, routers }: FactsOptions): FactsHandler {
  return async ({ query, signal }) => {
    const serverTime = clock.now();
    const { sourceKind, sourceId } = query;
    const current = resolvePeriod(query, serverTime, 'invalid_query');
    const previous = { from: current.from - (current.to - current.from), to: current.from };
    const scope = { sourceKind, sourceId };
    const counted = await connections.compare({ current, previous, scope }, signal);
    return {
      serverTime,
      range: toRange(current),
      previousRange: toRange(previous),
      collection: summarizeCollection(routers.list()),
      sourceScope: sourceKind === undefined || sourceId === undefined ? null : { sourceKind, sourceId },
      ...counted,
      ...threat.judged(),
      coverage: await coverage.measure({ ...current, ...scope }, signal),
      previousCoverage: await coverage.measure({ ...previous, ...scope }, signal),
    };
  };
}

function toRange({ from, to }: Period): Facts['range'] {
  return { from, to, durationMs: to - from };
}
