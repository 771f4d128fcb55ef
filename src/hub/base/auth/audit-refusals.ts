// Anybody can cause refusals, and the audit trail keeps them for 180 days: they must not fill the disk. Refusals up to a bound
// for each client, and for all together, are recorded one by one. Beyond it they are only counted.
import { authLimits } from '#contract/auth-limits.ts';
import type { AuditEventType } from '#contract/auth-records.ts';
import { FixedWindowLimiter } from '#kernel/http/limiter.ts';
import { clientKey } from '#kernel/net/address-key.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { AuditEntry, AuditTrail } from './audit.ts';

export interface BoundedTrail extends AuditTrail {
  /** Writes a row for each kind of refusal that was counted since the last call; `metadata.repeated` is their number. */
  recordCounts(): Promise<void>;
}

/** Events that need no credential: they are counted by client, since the credential that they name is not proven. */
const unproved: ReadonlySet<AuditEventType> = new Set([
  'login',
  'oidc_login_started',
  'agent_authentication',
  'agent_enrollment_requested',
  'agent_transport_rejected',
]);
const refusals: ReadonlySet<AuditEventType> = new Set([
  'login',
  'permission_denied',
  'csrf_rejected',
  'password_changed',
  'admin_token_regenerated',
  'agent_authentication',
  'agent_enrollment_requested',
  'agent_transport_rejected',
  'agent_token_rotated',
  'agent_ingest',
]);

/** Passes all events on to `trail`, except refusals and begun OIDC logins beyond the bounds. */
export function boundRefusals(trail: AuditTrail, clock: Clock): BoundedTrail {
  const ofClient = new FixedWindowLimiter(clock, authLimits.auditRefusalsOfClient, authLimits.auditRefusalWindowMs);
  const ofAll = new FixedWindowLimiter(clock, authLimits.auditRefusals, authLimits.auditRefusalWindowMs);
  const counted = new Map<string, { last: AuditEntry; repeated: number }>();

  /** Whether the entry is recorded; counts it otherwise. */
  const isAdmitted = (entry: AuditEntry): boolean => {
    if (!isBounded(entry)) {
      return true;
    }
    const kind = kindOf(entry);
    if (ofClient.take(`${kind} ${causeOf(entry)}`).allowed && ofAll.take(kind).allowed) {
      return true;
    }
    counted.set(kind, { last: entry, repeated: (counted.get(kind)?.repeated ?? 0) + 1 });
    return false;
  };

  return {
    ...trail,
    async record(entry) {
      if (isAdmitted(entry)) {
        await trail.record(entry);
      }
    },
    note(entry) {
      if (isAdmitted(entry)) {
        trail.note(entry);
      }
    },
    async recordCounts() {
      const due = [...counted.values()];
      counted.clear();
      await Promise.all(
        due.map(({ last, repeated }) => trail.record({ ...last, metadata: { ...last.metadata, repeated } })),
      );
    },
  };
}

function isBounded({ type, outcome }: AuditEntry): boolean {
  return type === 'oidc_login_started' || (outcome === 'failure' && refusals.has(type));
}

/** Callers cannot invent kinds: types, methods and reasons are words of this program. */
function kindOf({ type, by, metadata }: AuditEntry): string {
  return [type, by.method ?? '', String(metadata?.reason ?? '')].join(' ');
}

function causeOf({ type, by, request }: AuditEntry): string {
  return (unproved.has(type) ? null : by.credential) ?? (request ? clientKey(request.address) : '');
}
