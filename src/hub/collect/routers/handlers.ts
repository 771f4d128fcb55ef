// Handlers of the router records and of detection.
import { limits } from '#contract/limits.ts';
import type { routerRoutes } from '#contract/routers.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { Principal } from '../../base/auth/principal.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import { type LegacyOptions, legacyHandlers } from './legacy.ts';
import { toPublicRouter } from './public-router.ts';
import type { RouterStatuses } from './runtime.ts';

export interface RouterHandlersOptions extends LegacyOptions {
  statuses: RouterStatuses;
  clock: Clock;
  /** Epoch milliseconds. */
  startedAt: number;
}

export function routerHandlers(options: RouterHandlersOptions): Handlers<typeof routerRoutes, Principal> {
  const { registry, statuses, poller, detect, clock, startedAt } = options;
  const shown = (record: RouterRecord, principal: Principal) =>
    toPublicRouter(
      record,
      statuses.of(record),
      'permissions' in principal && principal.permissions.has('settings.write'),
    );
  return {
    ...legacyHandlers(options),
    list: ({ principal }) => ({
      routers: registry.list().map((record) => shown(record, principal)),
      maxRouters: limits.routers,
      serverTime: clock.now(),
      processStartedAt: startedAt,
    }),
    detect: ({ body, signal }) => detect(registry.draft(body), 'router_detect_failed', signal),
    async create({ body, principal }) {
      const record = registry.create(body);
      await poller.apply(record.id);
      return { success: true, router: shown(record, principal) };
    },
    async update({ params, body, principal }) {
      if (Object.keys(body).length === 0) {
        throw new AppError('invalid_body', 'send at least one field to change');
      }
      const record = registry.update(params.id, body);
      await poller.apply(record.id);
      return { success: true, router: shown(record, principal) };
    },
    async remove({ params }) {
      registry.remove(params.id);
      await poller.apply(params.id);
      return { success: true };
    },
  };
}
