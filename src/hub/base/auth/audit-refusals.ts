// Refusals that anybody can cause over and over must not fill the disk for 180 days: they are recorded as they are up to
// a bound for each client and for all together, and beyond it they are counted.
import { limits } from '#contract/limits.ts';
import { FixedWindowLimiter } from '#kernel/http/limiter.ts';
import { clientKey } from '#kernel/net/address-key.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { AuditEntry, AuditEventType, AuditTrail } from './audit.ts';

export interface BoundedTrail extends AuditTrail {
  /** Records, in one row for each kind, how many refusals were counted since the last call: `metadata.repeated`. */
  recordCounts(): Promise<void>;
}

/** What nobody needs a credential for: it is the client's, whatever credential it names. */
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

/** A trail that passes everything on to `trail` but the refusals, and begun OIDC logins, beyond the bounds. */
export function boundRefusals(trail: AuditTrail, clock: Clock): BoundedTrail {
  const ofClient = new FixedWindowLimiter(clock, limits.auditRefusalsOfClient, limits.auditRefusalWindowMs);
  const ofAll = new FixedWindowLimiter(clock, limits.auditRefusals, limits.auditRefusalWindowMs);
  const counted = new Map<string, { last: AuditEntry; repeated: number }>();

  /** Whether the entry is to be recorded as it is; counts it otherwise. */
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

/** Of a closed set: types, methods and reasons are this program's words. */
function kindOf({ type, by, metadata }: AuditEntry): string {
  return [type, by.method ?? '', String(metadata?.reason ?? '')].join(' ');
}

function causeOf({ type, by, request }: AuditEntry): string {
  return (unproved.has(type) ? null : by.credential) ?? (request ? clientKey(request.address) : '');
}
