// The facts of a period and of the one before, with what limits both.

import type { z } from 'zod';
import type { Facts, factsQuery } from '#contract/ai.ts';
import type { Judged } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { ConnectionsFeature } from '../connections/feature.ts';
import type { CoverageFeature } from '../coverage/feature.ts';
import type { RoutersFeature } from '../routers/feature.ts';
import { collectionOf } from './collection.ts';

interface FactsOptions {
  clock: Clock;
  connections: Pick<ConnectionsFeature, 'compare'>;
  coverage: Pick<CoverageFeature, 'of'>;
  threat: { judged: () => Judged };
  routers: Pick<RoutersFeature, 'list'>;
}

interface FactsCall {
  query: z.output<typeof factsQuery>;
  signal: AbortSignal;
}

export function factsHandler({ clock, connections, coverage, threat, routers }: FactsOptions) {
  return async ({ query, signal }: FactsCall): Promise<Facts> => {
    const serverTime = clock.now();
    const { sourceKind, sourceId } = query;
    const current = periodOf(query, serverTime);
    const previous = { from: current.from - (current.to - current.from), to: current.from };
    const scope = { sourceKind, sourceId };
    const counted = await connections.compare({ current, previous, scope }, signal);
    return {
      serverTime,
      range: lasting(current),
      previousRange: lasting(previous),
      collection: collectionOf(routers.list()),
      sourceScope: sourceKind === undefined || sourceId === undefined ? null : { sourceKind, sourceId },
      ...counted,
      ...threat.judged(),
      coverage: await coverage.of({ ...current, ...scope }, signal),
      previousCoverage: await coverage.of({ ...previous, ...scope }, signal),
    };
  };
}

interface Period {
  from: number;
  to: number;
}

/** Throws AppError `invalid_query` for a period that is empty or too long. */
function periodOf(query: FactsCall['query'], now: number): Period {
  const [from = 0, to = now] = [query.from, query.to].map((at) => at && Math.min(at, Number.MAX_SAFE_INTEGER));
  if (to <= from) {
    throw new AppError('invalid_query', 'to must be later than from: the period would be empty');
  }
  if (to - from > limits.factsMs) {
    throw new AppError(
      'invalid_query',
      `from lies more than ${limits.factsMs / 86_400_000} days before to: choose less`,
    );
  }
  return { from, to };
}

function lasting({ from, to }: Period): Facts['range'] {
  return { from, to, durationMs: to - from };
}
