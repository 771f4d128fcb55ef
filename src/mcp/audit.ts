// The audit store of the HTTP endpoint: a separate SQLite file, append-only, pseudonymised, with a closed vocabulary.
// It never holds arguments, addresses, notes, tokens, bodies or external text
// (docs/reference/mcp-server.md#audit-record, docs/reference/wire-contract/7-mcp-http.md#73-audit-rows).
import { fileURLToPath } from 'node:url';
import { limits } from '#contract/limits.ts';
import { FixedWindowLimiter } from '#kernel/http/limiter.ts';
import type { Log } from '#kernel/process/log.ts';
import { createRowQueue } from '#kernel/sqlite/row-queue.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { createId, keyedHash } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';

/** All failure reasons (docs/reference/mcp-server.md#7-errors). Pinned in test/pins/audit-reasons.txt. */
export const auditReasons = [
  'unauthorized',
  'invalid_token',
  'insufficient_scope',
  'bad_request',
  'not_found',
  'method_not_allowed',
  'payload_too_large',
  'client_error',
  'tool_error',
  'global_rate_limit',
  'subject_rate_limit',
  'client_rate_limit',
  'concurrency_limit',
  'request_timeout',
  'server_error',
] as const;
export type AuditReason = (typeof auditReasons)[number];

export interface AuditEntry {
  type: 'mcp_request' | 'mcp_tool_call' | 'mcp_rate_limited';
  /** Null for a call that succeeded. */
  reason: AuditReason | null;
  /** The authenticated caller; stored as a pseudonym. */
  subject: string | null;
  client: string | null;
  /** IP address of the client; stored as a pseudonym. */
  address: string;
  /** From the table of tools, or `other`. */
  tool: string | null;
  /** From the methods of the protocol, or `other`. */
  method: string | null;
  status: number | null;
  scopes: readonly string[];
  requestId: string;
  durationMs: number;
}

export interface McpAudit extends AsyncDisposable {
  /** Queues a row. Rows are written in order; failed writes are retried, and lost rows are counted in the log. */
  note(entry: AuditEntry): void;
  /** False while a row has waited longer than `limits.mcpAuditDelayMs`, or the queue is full. */
  isWritten(): boolean;
  /** Resolves when every queued row is written, lost, or waiting for a retry. */
  settled(): Promise<void>;
}

export interface AuditOptions {
  file: string;
  /** HMAC key of the pseudonyms; used for nothing else. */
  key: string;
  clock: Clock;
  log: Log;
}

const insert = `INSERT INTO mcp_audit (event_id, created_at, event_type, outcome, reason, subject_hash, client_id_hash,
    client_ip_hash, tool_name, mcp_method, http_status, scopes, request_id, duration_ms)
  VALUES (@eventId, @createdAt, @eventType, @outcome, @reason, @subjectHash, @clientIdHash, @clientIpHash, @toolName,
    @mcpMethod, @httpStatus, @scopes, @requestId, @durationMs)`;

type Row = Record<string, string | number | null>;

const emptyRow: Row = {
  reason: null,
  subjectHash: null,
  clientIdHash: null,
  clientIpHash: null,
  toolName: null,
  mcpMethod: null,
  httpStatus: null,
  scopes: null,
  requestId: null,
  durationMs: null,
};

/** Opens the store, tests that it is writable, and prunes it now and once a day. Rejects when it cannot be used. */
export async function startAudit({ file, key, clock, log }: AuditOptions): Promise<McpAudit> {
  const db = await openWritable(file, clock);
  const job = startJob(clock, log, {
    name: 'pruning of the audit store',
    everyMs: limits.auditPruneMs,
    run: () => prune(db, clock),
  });
  const strangers = new FixedWindowLimiter(clock, limits.mcpRefusalRows, limits.mcpRateWindowMs);
  const queue = createRowQueue<Row>({
    db,
    clock,
    log,
    insert,
    what: 'audit rows',
    reportEvery: 100,
    most: limits.auditWaiting,
    retryMs: limits.auditRetryMs,
  });
  const pseudonym = createPseudonyms(key);

  return {
    note(entry) {
      if (entry.subject !== null || strangers.take('all').allowed) {
        void queue.add(toRow(entry, pseudonym, clock));
      }
    },
    isWritten: () => queue.behindMs() <= limits.mcpAuditDelayMs && !queue.isFull(),
    async settled() {
      await queue.settled();
      await db.settled();
    },
    async [Symbol.asyncDispose]() {
      await job[Symbol.asyncDispose]();
      await queue[Symbol.asyncDispose]();
      await db.close();
    },
  };
}

type Pseudonyms = (kind: 'subject' | 'client' | 'address', text: string | null) => string | null;

/** HMAC-SHA256 as hex: stable while the key does not change. Recent ones are cached. */
function createPseudonyms(key: string): Pseudonyms {
  const known = new Map<string, string>();
  return (kind, text) => {
    if (text === null) {
      return null;
    }
    const name = `${kind}:${text}`;
    const made = known.get(name) ?? keyedHash(name, key);
    const [oldest] = known.keys();
    if (known.size >= limits.mcpRateKeys && oldest !== undefined) {
      known.delete(oldest);
    }
    known.set(name, made);
    return made;
  };
}

function toRow(entry: AuditEntry, pseudonym: Pseudonyms, clock: Clock): Row {
  return {
    eventId: createId(),
    createdAt: clock.now(),
    eventType: entry.type,
    outcome: entry.reason === null ? 'success' : 'failure',
    reason: entry.reason,
    subjectHash: pseudonym('subject', entry.subject),
    clientIdHash: pseudonym('client', entry.client),
    clientIpHash: pseudonym('address', entry.address),
    toolName: entry.tool,
    mcpMethod: entry.method,
    httpStatus: entry.status,
    scopes: entry.scopes.toSorted().join(' ') || null,
    requestId: entry.requestId,
    durationMs: Math.max(0, Math.round(entry.durationMs)),
  };
}

async function openWritable(file: string, clock: Clock): Promise<Db> {
  let db: Db | undefined;
  try {
    migrate(file, fileURLToPath(new URL('./migrations', import.meta.url)));
    db = new Db(file);
    const probe: Row = {
      eventId: createId(),
      createdAt: clock.now(),
      eventType: 'mcp_audit_startup',
      outcome: 'success',
    };
    await db.write((writer) => void writer.prepare(insert).run({ ...emptyRow, ...probe }));
    await prune(db, clock);
    return db;
  } catch (cause) {
    await db?.close();
    throw new Error(`the audit store ${file} cannot be written: make it writable, or name another MCP_AUDIT_DB_PATH`, {
      cause,
    });
  }
}

async function prune(db: Db, clock: Clock): Promise<void> {
  const ageMs = limits.auditRetentionDays * 86_400_000;
  await db.write((writer) => {
    writer.prepare('DELETE FROM mcp_audit WHERE created_at < ?').run(clock.now() - ageMs);
  });
}
