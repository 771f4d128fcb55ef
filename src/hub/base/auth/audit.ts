// The trail of security events: append-only, pseudonymised with a key of its own, joined to requests by their id.
// It never holds an address, a name, a password or a token.

import { authLimits } from '#contract/auth-limits.ts';
import type { AuditEventType } from '#contract/auth-records.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { Log } from '#kernel/process/log.ts';
import { createRowQueue } from '#kernel/sqlite/row-queue.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { createId, keyedHash } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import { type AuditEvent, type AuditRow, rowColumns, toAuditEvent } from './audit-row.ts';

/** Who acted: a person or program, and the credential it used. Both are stored as pseudonyms only. */
export interface Actor {
  method: AuditEvent['authMethod'];
  actor: string | null;
  credential: string | null;
}

export interface AuditEntry {
  type: AuditEventType;
  outcome: AuditEvent['outcome'];
  /** Null for what was done without one: on a terminal. */
  request: RequestFacts | null;
  by: Actor;
  metadata?: Record<string, unknown>;
}

export type AuditTrail = ReturnType<typeof createAuditTrail>;

export interface AuditOptions {
  clock: Clock;
  db: Db;
  log: Log;
  /** Hex; of the pseudonyms alone. */
  key: string;
}

const insert = `INSERT INTO audit_event (event_id, created_at, event_type, outcome, auth_method, actor_hash,
    principal_hash, request_id, client_ip_hash, http_method, path, metadata)
  VALUES (@eventId, @createdAt, @eventType, @outcome, @authMethod, @actorHash, @principalHash, @requestId,
    @clientIpHash, @httpMethod, @path, @metadata)
  ON CONFLICT (event_id) DO NOTHING`;

const selectRequest = `SELECT ${rowColumns} FROM audit_event WHERE request_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`;

export function createAuditTrail({ db, clock, log, key }: AuditOptions) {
  const queue = createRowQueue<AuditRow>({
    db,
    clock,
    log,
    insert,
    what: 'security events',
    reportEvery: 1000,
    most: authLimits.auditWaiting,
    retryMs: authLimits.auditRetryMs,
  });

  const pseudonym = (kind: 'actor' | 'credential' | 'address', text: string | null) =>
    text === null ? null : keyedHash(`${kind}:${text}`, key).slice(0, 12);

  const rowOf = ({ type, outcome, request, by, metadata }: AuditEntry): AuditRow => ({
    eventId: createId(),
    createdAt: clock.now(),
    eventType: type,
    outcome,
    authMethod: by.method,
    actorHash: pseudonym('actor', by.actor),
    principalHash: pseudonym('credential', by.credential),
    requestId: request?.id ?? null,
    clientIpHash: pseudonym('address', request?.address ?? null),
    httpMethod: request?.method ?? null,
    path: request?.path.slice(0, 300) ?? null,
    metadata: metadata === undefined ? null : boundedJson(metadata),
  });

  const reads: AuditRow[] = [];

  return {
    /** Holds a read in memory; of these the latest `authLimits.auditReads` are found by their request id alone. */
    noteRead(entry: AuditEntry) {
      reads.push(rowOf(entry));
      if (reads.length > authLimits.auditReads) {
        reads.shift();
      }
    },
    /** Resolves to the events of one request, also those that `noteRead` holds: the newest first, at most `limit`. */
    async ofRequest(requestId: string, limit: number) {
      await queue.settled();
      const stored = db.prepare(selectRequest).all(requestId, limit) as (AuditRow & { id: number })[];
      return [...reads.filter((row) => row.requestId === requestId), ...stored]
        .map(toAuditEvent)
        .sort((one, other) => other.createdAt - one.createdAt)
        .slice(0, limit);
    },
    /**
     * Resolves when the event is on disk. While the database refuses writes it resolves too, after a try: the event waits
     * and is written later, since what it records has happened. Never rejects.
     */
    record: (entry: AuditEntry) => queue.add(rowOf(entry)),
    /** Records an event that no answer waits for. */
    note: (entry: AuditEntry) => void queue.add(rowOf(entry)),
    /** Resolves when all events so far are stored, or wait for a database that refuses writes. */
    settled: () => queue.settled(),
    /** Deletes events that are older than 180 days. */
    async prune() {
      await db.write((writer) => {
        const ageMs = authLimits.auditRetentionDays * dayMs;
        writer
          .prepare(
            `DELETE FROM audit_event
             WHERE created_at <= MIN(?, (SELECT MAX(created_at) FROM audit_event) - ${ageMs})`,
          )
          .run(clock.now() - ageMs);
      });
    },
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}

function boundedJson(metadata: Record<string, unknown>): string {
  const text = JSON.stringify(metadata);
  return Buffer.byteLength(text) <= authLimits.auditMetadataBytes ? text : '{"truncated":true}';
}
