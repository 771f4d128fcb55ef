// The trail of security events: append-only, pseudonymised with a key of its own, joined to requests by their id.
// It never holds an address, a name, a password or a token.

import type { z } from 'zod';
import { authLimits } from '#contract/auth-limits.ts';
import type { AuditEventType, auditEvent } from '#contract/auth-records.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { Log } from '#kernel/process/log.ts';
import { createRowQueue } from '#kernel/sqlite/row-queue.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { createId, keyedHash } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';

export type AuditEvent = z.input<typeof auditEvent>;

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

export interface AuditPage {
  limit: number;
  before?: number | undefined;
  after?: string | undefined;
  type?: AuditEventType | undefined;
  outcome?: AuditEvent['outcome'] | undefined;
  /** Text that is somewhere in an event; the case of ASCII letters does not matter. */
  q?: string | undefined;
}

export type AuditTrail = ReturnType<typeof createAuditTrail>;

export interface AuditOptions {
  clock: Clock;
  db: Db;
  log: Log;
  /** Hex; of the pseudonyms alone. */
  key: string;
}

type AuditRow = Omit<AuditEvent, 'metadata'> & { metadata: string | null };

/** The position of an event in the order of the trail. */
interface Position {
  createdAt: number;
  id: number;
}

const insert = `INSERT INTO audit_event (event_id, created_at, event_type, outcome, auth_method, actor_hash,
    principal_hash, request_id, client_ip_hash, http_method, path, metadata)
  VALUES (@eventId, @createdAt, @eventType, @outcome, @authMethod, @actorHash, @principalHash, @requestId,
    @clientIpHash, @httpMethod, @path, @metadata)
  ON CONFLICT (event_id) DO NOTHING`;

const columns = `id, event_id AS eventId, created_at AS createdAt, event_type AS eventType, outcome,
    auth_method AS authMethod, actor_hash AS actorHash, principal_hash AS principalHash, request_id AS requestId,
    client_ip_hash AS clientIpHash, http_method AS httpMethod, path, metadata`;
const olderEvents = `FROM audit_event WHERE created_at < @before AND (created_at, id) < (@afterTime, @afterId)
  ORDER BY created_at DESC, id DESC`;
/** Searches the next @searched events only, so that a search never holds up the hub. */
const select = `SELECT * FROM (SELECT ${columns} ${olderEvents} LIMIT @searched)
  WHERE eventType = ifnull(@type, eventType) AND outcome = ifnull(@outcome, outcome)
    AND instr(lower(concat_ws(' ', eventType, authMethod, httpMethod, path, requestId, actorHash, principalHash,
      clientIpHash, metadata)), lower(@q))
  ORDER BY createdAt DESC, id DESC LIMIT @limit`;
/** The position at which the search of the next page begins. No row when the search has reached the end of the trail. */
const selectLastSearched = `SELECT created_at AS createdAt, id ${olderEvents} LIMIT 1 OFFSET @searched - 1`;
const selectRequest = `SELECT ${columns} FROM audit_event WHERE request_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`;

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
    /** Resolves to the events of one request, reads of its answers too: the newest first, at most `limit`. */
    async ofRequest(requestId: string, limit: number) {
      await queue.settled();
      const stored = db.prepare(selectRequest).all(requestId, limit) as (AuditRow & { id: number })[];
      return [...reads.filter((row) => row.requestId === requestId), ...stored]
        .map(eventOf)
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
    /**
     * Newest first. `before` is exclusive; `after` is the `next` of an earlier page. A search reads at most
     * `authLimits.auditSearched` events. Its page may have fewer events than `limit`, or none, and still a `next`.
     */
    async page({ limit, before = Number.MAX_SAFE_INTEGER, after, type, outcome, q = '' }: AuditPage) {
      await queue.settled();
      const [afterTime, afterId] = parseCursor(after);
      const isSearch = type !== undefined || outcome !== undefined || q !== '';
      const searched = isSearch ? authLimits.auditSearched : limit + 1;
      const range = { before, afterTime, afterId, searched };
      const filter = { type: type ?? null, outcome: outcome ?? null, q };
      const rows = db.prepare(select).all({ ...range, ...filter, limit: limit + 1 }) as (AuditRow & Position)[];
      const shown = rows.slice(0, limit);
      let last: Position | undefined;
      if (rows.length > limit) {
        last = shown.at(-1);
      } else if (isSearch) {
        last = db.prepare(selectLastSearched).get(range) as Position | undefined;
      }
      return { events: shown.map(eventOf), next: last ? cursorOf(last) : null };
    },
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

function eventOf({ id: _, metadata, ...row }: AuditRow & { id?: number }): AuditEvent {
  return { ...row, metadata: metadata === null ? null : (JSON.parse(metadata) as Record<string, unknown>) };
}

function cursorOf({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** Where a page begins; a cursor that is none means the newest. */
function parseCursor(after: string | undefined): [time: number, id: number] {
  const [, time, id] = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(after ?? '', 'base64url').toString()) ?? [];
  return [Number(time ?? Number.MAX_SAFE_INTEGER), Number(id ?? Number.MAX_SAFE_INTEGER)];
}
