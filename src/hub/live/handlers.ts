// The answer of the live updates.
import type { eventRoutes } from '#contract/events.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Principal } from '../auth/principal.ts';
import type { Live } from './live.ts';

export function liveHandlers(live: Live): Handlers<typeof eventRoutes, Principal> {
  return { stream: ({ request, signal }) => live.open(request, signal) };
}
