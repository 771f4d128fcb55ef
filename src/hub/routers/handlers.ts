// Handlers of the router records and of detection.
import { limits } from '#contract/limits.ts';
import type { routerRoutes } from '#contract/routers.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Principal } from '../auth/principal.ts';
import type { Ctx } from '../context.ts';
import type { RouterRecord } from '../settings/schema.ts';
import { createDetect, type Detect } from './detect.ts';
import { legacyHandlers } from './legacy.ts';
import { publicRouter } from './public-router.ts';

export function routerHandlers(ctx: Ctx): Handlers<typeof routerRoutes, Principal> {
  const { registry, poller } = ctx;
  const detect: Detect = createDetect({ registry, clock: ctx.clock, settleMs: ctx.routerSettleMs });
  const shown = (record: RouterRecord, principal: Principal) =>
    publicRouter(
      record,
      poller.status(record),
      principal.who !== 'nobody' && principal.permissions.has('settings.write'),
    );
  return {
    ...legacyHandlers(ctx, detect),
    list: ({ principal }) => ({
      routers: registry.list().map((record) => shown(record, principal)),
      maxRouters: limits.routers,
      serverTime: ctx.clock.now(),
      processStartedAt: ctx.startedAt,
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
