// The two process-health answers.
import type { healthRoutes, NotReadyReason } from '#contract/health.ts';
import { type Handlers, reply } from '#kernel/http/route.ts';
import type { Principal } from '../base/auth/principal.ts';
import type { Feature } from '../base/feature.ts';

/** Returns the first reason why a feature cannot work; null when there is none. */
export async function findNotReadyReason(features: readonly Feature[]): Promise<NotReadyReason | null> {
  for (const feature of features) {
    const reason = await feature.notReady?.();
    if (reason) {
      return reason;
    }
  }
  return null;
}

/** `look` resolves to what keeps the hub from its work, or to null from the start until it is ready, and while it stops. */
export function healthHandlers(
  look: () => Promise<{ reason: NotReadyReason | null } | null>,
): Handlers<typeof healthRoutes, Principal> {
  return {
    healthz: () => ({ status: 'ok' }),
    async readyz() {
      const found = await look();
      if (found === null) {
        return reply(503, { status: 'not_ready' });
      }
      return found.reason === null ? { status: 'ready' } : reply(503, { status: 'not_ready', reason: found.reason });
    },
  };
}
