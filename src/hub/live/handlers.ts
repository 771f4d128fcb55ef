// The answer of the live updates.
import type { eventRoutes } from '#contract/events.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Principal } from '../auth/principal.ts';
import type { Ctx } from '../context.ts';

export function liveHandlers({ live }: Pick<Ctx, 'live'>): Handlers<typeof eventRoutes, Principal> {
  return { stream: ({ request, signal }) => live.open(request, signal) };
}
