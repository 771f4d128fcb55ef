// Which event a call leaves in the audit trail when its handler records none itself.
import type { AuditEventType } from '#contract/auth-records.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import type { AuditTrail } from './audit.ts';
import { type Principal, toActor } from './principal.ts';

interface Answered {
  request: RequestFacts;
  route: RouteDefinition<unknown>;
  principal: Principal;
  status: number;
}

/** Records a changing call of an authenticated caller. A read by an API identity is only held in memory. */
export function auditCall(audit: AuditTrail, { request, route, principal, status }: Answered): void {
  const outcome = status < 400 ? 'success' : 'failure';
  if (route.method === 'GET' && principal.who === 'identity') {
    audit.noteRead({ type: 'api_read', outcome, request, by: toActor(principal), metadata: { status } });
  }
  if (route.method !== 'GET' && principal.who !== 'nobody' && route.audit !== 'handler') {
    const type = (route.audit ?? 'api_mutation') as AuditEventType;
    audit.note({ type, outcome, request, by: toActor(principal), metadata: { status } });
  }
}
