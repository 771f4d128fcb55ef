// The two process-health answers, and the flag behind the second.
import type { healthRoutes, NotReadyReason } from '#contract/health.ts';
import { type Handlers, reply } from '#kernel/http/route.ts';
import type { Principal } from './auth/principal.ts';

/** True from the end of bootstrap until a stop begins. */
export interface Readiness {
  ready: boolean;
  /** Resolves to what keeps a hub that has started from its work; null when nothing is known to. */
  reason?: () => Promise<NotReadyReason | null>;
}

export function healthHandlers(readiness: Readiness): Handlers<typeof healthRoutes, Principal> {
  return {
    healthz: () => ({ status: 'ok' }),
    async readyz() {
      const reason = readiness.ready ? ((await readiness.reason?.()) ?? null) : null;
      if (!readiness.ready) {
        return reply(503, { status: 'not_ready' });
      }
      return reason === null ? { status: 'ready' } : reply(503, { status: 'not_ready', reason });
    },
  };
}
