// Enrolment: code → request → approval → the bearer, collected once. Every step is one conditional write: of two that
// race one wins, and the other learns it (docs/reference/wire-contract/5-behaviours.md#51-enrolment).
import type { AgentFacts } from '#contract/agent-ingest.ts';
import type { PendingRequest } from '#contract/agents.ts';
import { limits } from '#contract/limits.ts';
import { AppError, refusedFor } from '#kernel/errors.ts';
import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';
import { createId, createToken, sameHash } from '#kernel/text/secret.ts';
import { startJob } from '#kernel/time/job.ts';
import type { StoredAgent } from '../../base/auth/agent-bearer.ts';
import type { AuditTrail } from '../../base/auth/audit.ts';
import type { Base } from '../../base/feature.ts';
import { countFailure, createCode, normalised, useCode } from './codes.ts';
import { type AgentRegistry, revokeAgents } from './registry.ts';

export type Enrolment = ReturnType<typeof startEnrolment>;

interface Applied {
  requestId: string;
  claimSecret: string;
  expiresAt: number;
}

/** `burned`: codes that this failure ended. */
type ApplicationOutcome = { applied: Applied } | { applied: null; burned: number };

export type Claimed =
  | { status: 'approved'; token: string; agentId: string }
  | { status: 'pending' | 'collected' | 'rejected' | 'expired' | 'unknown' };

interface Options extends Pick<Base, 'db' | 'clock' | 'log'> {
  registry: Pick<AgentRegistry, 'hashOf' | 'byId' | 'ended'>;
  audit: Pick<AuditTrail, 'note'>;
}

const facts = 'platform, host_name, os_version, agent_version';

/** Ends expired codes and requests every five minutes, and before each step that depends on them. */
export function startEnrolment({ db, clock, log, registry, audit }: Options) {
  const { hashOf } = registry;
  const job = startJob(clock, log, {
    name: 'ending requests of Agents',
    everyMs: limits.agentReconcileEveryMs,
    run: () => db.save((writer) => prune(writer, clock.now())),
  });
  const noteBurned = (codes: number) => {
    log.warn({ codes }, 'enrolment codes were burned by wrong applications: make new ones');
    const by = { method: 'enrollment-code', actor: null, credential: null } as const;
    audit.note({ type: 'agent_enrollment_burned', outcome: 'failure', request: null, by, metadata: { codes } });
  };
  return {
    createCode: () => db.save((writer) => createCode(writer, (code) => hashOf('code', code), clock.now())),
    /**
     * Uses the code up and stores the request. Rejects with AppError `enrollment_code_refused` for a code that is not live,
     * and `enrollment_requests_full` when too many wait: then the code stays as it is.
     */
    async apply({ code, agent, address }: { code: string; agent: AgentFacts; address: string }) {
      const hash = hashOf('code', normalised(code));
      const outcome = await db.save((writer): ApplicationOutcome => {
        const now = clock.now();
        expire(writer, now);
        if (!useCode(writer, hash, now)) {
          return { applied: null, burned: countFailure(writer, now) };
        }
        // A refusal rolls all of this back: the code stays as it was.
        requireRoom(writer, now);
        return { applied: insertRequest(writer, { agent, addressHash: hashOf('address', address), hashOf, now }) };
      });
      if (outcome.applied) {
        return outcome.applied;
      }
      if (outcome.burned > 0) {
        noteBurned(outcome.burned);
      }
      throw new AppError(
        'enrollment_code_refused',
        'this code is not valid: it is wrong, was used, or has ended; ask for a new one',
      );
    },
    async claim({ requestId, claimSecret }: { requestId: string; claimSecret: string }) {
      const hash = hashOf('claim', claimSecret);
      const look = (reader: Pick<Reader, 'prepare'>) => {
        const request = findRequest(reader, requestId);
        return request && sameHash(hash, request.claimHash)
          ? { request, status: currentStatus(request, clock.now()) }
          : { request: null, status: 'unknown' as const };
      };
      const seen = look(db);
      // Agents ask every few seconds: write only when something changes.
      if (seen.status !== 'approved' && (seen.status !== 'expired' || seen.request.status === 'expired')) {
        return { status: seen.status };
      }
      return db.save((writer) => {
        expire(writer, clock.now());
        const { request, status } = look(writer);
        return status === 'approved' ? collect(writer, request, hashOf, clock.now()) : { status };
      });
    },
    /** Resolves to the waiting requests, the newest first. `address` is the address of the caller. */
    async pending(address: string) {
      const now = clock.now();
      const rows = db
        .prepare(
          `SELECT request_id AS requestId, platform, host_name AS hostName, os_version AS osVersion,
             agent_version AS agentVersion, created_at AS createdAt, expires_at AS expiresAt, address_hash AS addressHash,
             EXISTS (SELECT 1 FROM agent a WHERE a.host_name = r.host_name AND a.revoked_at IS NULL) AS isDuplicate
           FROM agent_request r WHERE status = 'pending' AND expires_at > ? ORDER BY created_at DESC, id DESC`,
        )
        .all(now) as (Omit<PendingRequest, 'duplicateHostName' | 'sameAddress'> & {
        addressHash: string;
        isDuplicate: number;
      })[];
      const here = hashOf('address', address);
      return rows.map(({ addressHash, isDuplicate, ...request }) => ({
        ...request,
        duplicateHostName: isDuplicate === 1,
        sameAddress: addressHash === here,
      }));
    },
    /** Null when it is not pending. `replaced` are the Agents that were revoked for it. */
    async approve(requestId: string, replaceExisting: boolean) {
      const approved = await db.save((writer) =>
        approve(writer, requestId.toLowerCase(), replaceExisting, clock.now()),
      );
      if (!approved) {
        return null;
      }
      approved.replaced.forEach(registry.ended);
      return { agent: registry.byId(approved.agentId) as StoredAgent, replaced: approved.replaced };
    },
    async reject(requestId: string) {
      const { changes } = await db.save((writer) =>
        writer
          .prepare(
            "UPDATE agent_request SET status = 'rejected' WHERE request_id = ? AND status = 'pending' AND expires_at > ?",
          )
          .run(requestId.toLowerCase(), clock.now()),
      );
      return changes === 1;
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

/** Ends expired codes and requests, and deletes those that ended long ago. */
function prune(writer: Writer, now: number): void {
  expire(writer, now);
  const before = now - limits.enrolmentRetentionMs;
  writer.prepare('DELETE FROM agent_code WHERE expires_at < ?').run(before);
  writer.prepare("DELETE FROM agent_request WHERE status <> 'pending' AND expires_at < ?").run(before);
}

type KnownStatus = Exclude<Claimed['status'], 'unknown'>;

interface RequestRow {
  id: number;
  claimHash: string;
  status: 'pending' | 'approved' | 'rejected' | 'expired';
  expiresAt: number;
  claimedAt: number | null;
  agent: number | null;
  agentId: string | null;
}

function findRequest(reader: Pick<Reader, 'prepare'>, requestId: string): RequestRow | undefined {
  return reader
    .prepare(
      `SELECT r.id, r.claim_hash AS claimHash, r.status, r.expires_at AS expiresAt,
         r.claimed_at AS claimedAt, r.agent, a.agent_id AS agentId
       FROM agent_request r LEFT JOIN agent a ON a.id = r.agent WHERE r.request_id = ?`,
    )
    .get(requestId.toLowerCase()) as RequestRow | undefined;
}

/** The status by now: the end of a pending request may not be written yet. */
function currentStatus({ status, expiresAt, claimedAt }: RequestRow, now: number): KnownStatus {
  if (status === 'approved' && claimedAt !== null) {
    return 'collected';
  }
  return status === 'pending' && expiresAt <= now ? 'expired' : status;
}

/** Ends requests that nobody decided, and approvals whose bearer nobody collected: these Agents are revoked. */
function expire(writer: Writer, now: number): void {
  writer.prepare("UPDATE agent_request SET status = 'expired' WHERE status = 'pending' AND expires_at <= ?").run(now);
  const isUncollected = "status = 'approved' AND claimed_at IS NULL AND collect_until <= ?";
  revokeAgents(writer, `id IN (SELECT agent FROM agent_request WHERE ${isUncollected})`, now, now);
  writer.prepare(`UPDATE agent_request SET status = 'expired' WHERE ${isUncollected}`).run(now);
}

function requireRoom(writer: Writer, now: number): void {
  const { waiting, next } = writer
    .prepare(
      "SELECT COUNT(*) AS waiting, MIN(expires_at) AS next FROM agent_request WHERE status = 'pending' AND expires_at > ?",
    )
    .get(now) as { waiting: number; next: number };
  if (waiting >= limits.enrolmentRequests) {
    throw refusedFor(
      'enrollment_requests_full',
      next - now,
      () =>
        `${waiting} requests wait for a decision already: approve or reject some, then apply again with the same code`,
    );
  }
}

interface NewRequest {
  agent: AgentFacts;
  addressHash: string;
  hashOf: AgentRegistry['hashOf'];
  now: number;
}

function insertRequest(writer: Writer, { agent, addressHash, hashOf, now }: NewRequest): Applied {
  const requestId = createId();
  const claimSecret = createToken('svcc_', 32);
  const expiresAt = now + limits.enrolmentRequestMs;
  writer
    .prepare(
      `INSERT INTO agent_request (request_id, claim_hash, ${facts}, address_hash, status, created_at, expires_at)
       VALUES (@requestId, @claimHash, @platform, @hostName, @osVersion, @agentVersion, @addressHash, 'pending', @now,
         @expiresAt)`,
    )
    .run({ ...agent, requestId, expiresAt, claimHash: hashOf('claim', claimSecret), addressHash, now });
  return { requestId, claimSecret, expiresAt };
}

function approve(writer: Writer, requestId: string, replaceExisting: boolean, now: number) {
  const request = writer
    .prepare(
      `SELECT id, host_name AS hostName FROM agent_request WHERE request_id = ? AND status = 'pending' AND expires_at > ?`,
    )
    .get(requestId, now) as { id: number; hostName: string } | undefined;
  if (!request) {
    return null;
  }
  const replaced = replaceExisting
    ? (writer
        .prepare('SELECT agent_id FROM agent WHERE host_name = ? AND revoked_at IS NULL')
        .pluck()
        .all(request.hostName) as string[])
    : [];
  if (replaceExisting) {
    revokeAgents(writer, 'host_name = ?', request.hostName, now);
  }
  const agentId = createId();
  const { lastInsertRowid: agent } = writer
    .prepare(
      `INSERT INTO agent (agent_id, ${facts}, created_at, updated_at)
       SELECT ?, ${facts}, ?, ? FROM agent_request WHERE id = ?`,
    )
    .run(agentId, now, now, request.id);
  writer
    .prepare("UPDATE agent_request SET status = 'approved', agent = ?, collect_until = ? WHERE id = ?")
    .run(agent, now + limits.enrolmentRequestMs, request.id);
  return { agentId, replaced };
}

/** Creates the bearer when it is collected: no plain bearer is stored, and a restart loses none. */
function collect(
  writer: Writer,
  { id, agent, agentId }: RequestRow,
  hashOf: AgentRegistry['hashOf'],
  now: number,
): Claimed {
  const token = createToken('svca_', 32);
  const { changes } = writer
    .prepare('UPDATE agent SET token_hash = ?, updated_at = ? WHERE id = ? AND revoked_at IS NULL')
    .run(hashOf('bearer', token), now, agent);
  if (changes === 0) {
    return { status: 'expired' };
  }
  writer.prepare('UPDATE agent_request SET claimed_at = ? WHERE id = ?').run(now, id);
  return { status: 'approved', token, agentId: agentId as string };
}
