// An event of the audit trail as the database stores it, and as the API shows it.
import type { z } from 'zod';
import type { auditEvent } from '#contract/auth-records.ts';

export type AuditEvent = z.input<typeof auditEvent>;

/** `metadata` is JSON. */
export type AuditRow = Omit<AuditEvent, 'metadata'> & { metadata: string | null };

/** SQL: the columns of `audit_event` under the names of `AuditRow`, and `id`. */
export const rowColumns = `id, event_id AS eventId, created_at AS createdAt, event_type AS eventType, outcome,
    auth_method AS authMethod, actor_hash AS actorHash, principal_hash AS principalHash, request_id AS requestId,
    client_ip_hash AS clientIpHash, http_method AS httpMethod, path, metadata`;

export function toAuditEvent({ id: _, metadata, ...row }: AuditRow & { id?: number }): AuditEvent {
  return { ...row, metadata: metadata === null ? null : (JSON.parse(metadata) as Record<string, unknown>) };
}
