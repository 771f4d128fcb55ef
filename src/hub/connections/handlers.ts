// Answers of the connection routes: what the query means, and the envelope around the store's rows.
import type { ConnectionFilter, connectionRoutes } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { ConnectionStore } from './store.ts';

export interface ConnectionHandlersOptions {
  store: ConnectionStore;
  clock: Clock;
  /** Whether a router of this id is configured: one that has observed nothing yet is known all the same. */
  hasRouter: (routerId: string) => boolean;
}

export function connectionHandlers<P>(options: ConnectionHandlersOptions): Handlers<typeof connectionRoutes, P> {
  return {
    list: ({ query }) => {
      checkScope(options, query);
      const { limit: asked } = query;
      const limit = asked === undefined ? limits.connectionsUnpaged : Math.min(asked, limits.connectionsPage);
      const offset = asked === undefined ? 0 : (query.offset ?? 0);
      const { sort = 'lastSeen', sortDir = 'desc' } = query;
      const { connections, total } = options.store.page({ filter: query, sort, sortDir, limit, offset });
      const page = { connections, total, limit, offset, serverTime: options.clock.now() };
      return asked === undefined ? { ...page, truncated: total > limit } : page;
    },
  };
}

/** Refuses a scope that names nothing; throws AppError `invalid_query`. */
function checkScope({ store, hasRouter }: ConnectionHandlersOptions, filter: ConnectionFilter): void {
  if (filter.sourceKind === undefined || filter.sourceId === undefined) {
    return;
  }
  if (filter.sourceKind === 'agent') {
    throw new AppError(
      'invalid_query',
      'sourceKind agent is not offered yet; use router, or leave both parameters out',
    );
  }
  if (!hasRouter(filter.sourceId) && !store.hasObserved(filter.sourceId)) {
    throw new AppError('invalid_query', 'sourceId is no router of this hub; GET /api/routers lists them');
  }
}
