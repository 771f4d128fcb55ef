// With which codes a route refuses: what follows from its declaration, and what its handler adds.
import { z } from 'zod';
import type { Access } from '#contract/access.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';

/** Codes of `route` in the order of the checks, each once. What breaks inside is not among them. */
export function listRefusals(route: RouteDefinition<Access>): ErrorCode[] {
  const { path, method, params, query, guards, access } = route;
  const isApi = path.startsWith('/api');
  return [
    ...new Set<ErrorCode>([
      'malformed_request',
      ...(isApi ? (['rate_limited'] as const) : []),
      ...credentialRefusals(route),
      ...(params ? (['invalid_params'] as const) : []),
      // A query that takes anything is right whatever it is.
      ...(query?.def.catchall instanceof z.ZodUnknown ? [] : (['invalid_query'] as const)),
      // A body is parsed where one is sent, also where none is asked for: a member of it may have a name that is refused.
      ...(method === 'GET'
        ? []
        : (['invalid_body', 'malformed_json', 'payload_too_large', 'unsupported_media_type'] as const)),
      ...(guards?.includes('agent-transport') ? (['agent_transport'] as const) : []),
      ...(route.refusals ?? []),
      ...(isApi ? (['not_ready'] as const) : []),
      ...(isApi && method !== 'GET' ? (['database_busy'] as const) : []),
      ...(isApi && access.who !== 'open' ? (['auth_not_initialised'] as const) : []),
    ]),
  ];
}

function credentialRefusals({ access, method }: RouteDefinition<Access>): readonly ErrorCode[] {
  const isChange = method !== 'GET';
  switch (access.who) {
    case 'open':
      return [];
    case 'agent':
      return ['unauthorized'];
    case 'signed-in':
      return ['unauthorized', ...(isChange ? (['csrf_rejected'] as const) : [])];
    case 'can':
    case 'identity':
      return ['unauthorized', 'forbidden', ...(isChange ? (['csrf_rejected'] as const) : [])];
  }
}
