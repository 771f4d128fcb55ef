// The two process-health answers, and the flag behind the second.
import type { healthRoutes } from '#contract/health.ts';
import { type Handlers, reply } from '#kernel/http/route.ts';
import type { Principal } from './auth/principal.ts';

/** True from the end of bootstrap until a stop begins. */
export interface Readiness {
  ready: boolean;
}

export function healthHandlers(readiness: Readiness): Handlers<typeof healthRoutes, Principal> {
  return {
    healthz: () => ({ status: 'ok' }),
    readyz: () => (readiness.ready ? { status: 'ready' } : reply(503, { status: 'not_ready' })),
  };
}
