// Which event a call leaves in the audit trail when its handler writes none of its own.
import { authRoutes } from '#contract/auth.ts';
import { routerRoutes } from '#contract/routers.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import type { AuditEventType, AuditTrail } from './audit.ts';
import { actorOf, type Principal } from './principal.ts';

interface Answered {
  request: RequestFacts;
  route: RouteDefinition<unknown>;
  principal: Principal;
  status: number;
}

const { oidcTest: _, ...selfRecorded } = authRoutes;
/** Their handlers record what happened, and more of it than could be said here. */
const silent: ReadonlySet<RouteDefinition<unknown>> = new Set(Object.values(selfRecorded));

const routerChanges: ReadonlySet<RouteDefinition<unknown>> = new Set([
  routerRoutes.create,
  routerRoutes.update,
  routerRoutes.remove,
  routerRoutes.setUp,
]);

/** Records a changing call of somebody who was let in, and keeps in memory that an API identity read. */
export function auditCall(audit: AuditTrail, { request, route, principal, status }: Answered): void {
  const outcome = status < 400 ? 'success' : 'failure';
  if (route.method === 'GET' && principal.who === 'identity') {
    audit.noteRead({ type: 'api_read', outcome, request, by: actorOf(principal), metadata: { status } });
  }
  if (route.method === 'GET' || principal.who === 'nobody' || silent.has(route)) {
    return;
  }
  const type: AuditEventType = routerChanges.has(route) ? 'router_changed' : 'api_mutation';
  audit.note({ type, outcome, request, by: actorOf(principal), metadata: { status } });
}
