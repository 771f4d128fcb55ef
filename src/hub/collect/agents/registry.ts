// The Agents and their bearers: found, revoked, rotated. Of a bearer only a hash with the pepper of this hub is stored.
import type { AgentFacts } from '#contract/agent-ingest.ts';
import type { Agent } from '#contract/agents.ts';
import { limits } from '#contract/limits.ts';
import type { Db, Writer } from '#kernel/sqlite/sqlite.ts';
import { createKey, createToken, keyedHash } from '#kernel/text/secret.ts';
import { type Clock, elapsed } from '#kernel/time/clock.ts';
import type { AgentBearers, FoundAgent, StoredAgent } from '../../base/auth/agent-bearer.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { Signals } from '../../base/signals.ts';

export interface AgentRegistry extends AgentBearers {
  /** Newest first, revoked ones included. */
  list(): Agent[];
  byId(agentId: string): StoredAgent | null;
  /** False when there is no such Agent, or it was revoked already. */
  revoke(agentId: string): Promise<boolean>;
  /** The new bearer; null when another rotation with the same bearer came first, or the Agent was revoked. */
  rotate(found: FoundAgent): Promise<string | null>;
  /** Emits the signal `credentialRevoked` for this Agent. */
  ended(agentId: string): void;
  /** Hashes a bearer, code, claim secret or address with the pepper of this hub. */
  hashOf(kind: 'bearer' | 'code' | 'claim' | 'address', text: string): string;
}

interface Options {
  db: Db;
  clock: Clock;
  steadyClock: Clock;
  settings: SettingsDocument;
  signals: Pick<Signals, 'emit'>;
}

const columns = `id, agent_id AS agentId, platform, host_name AS hostName, os_version AS osVersion,
  agent_version AS agentVersion, created_at AS createdAt, updated_at AS updatedAt, last_seen_at AS lastSeenAt,
  revoked_at AS revokedAt`;

type BearerRow = StoredAgent & { tokenHash: string; previousHash: string | null; rotatedAt: number | null };

/** Creates the pepper at the first start; throws AppError `save_failed` when it cannot be saved. */
export function createAgentRegistry({ db, clock, steadyClock, settings, signals }: Options): AgentRegistry {
  if (settings.current().agents.pepper === '') {
    settings.update((all) => ({ ...all, agents: { ...all.agents, pepper: createKey() } }));
  }
  const { pepper } = settings.current().agents;
  const hashOf: AgentRegistry['hashOf'] = (kind, text) => keyedHash(`${kind}:${text}`, pepper);
  const noting = new Set<number>();
  /** Number of an Agent → hash of its bearer whose successor was used; the database follows. */
  const replaced = new Map<number, string>();
  const ended = (agentId: string) => signals.emit('credentialRevoked', `agent:${agentId}`);

  return {
    find(token) {
      const hash = hashOf('bearer', token);
      const row = db
        .prepare(
          `SELECT ${columns}, token_hash AS tokenHash, previous_hash AS previousHash, rotated_at AS rotatedAt
           FROM agent WHERE (token_hash = @hash OR previous_hash = @hash) AND revoked_at IS NULL`,
        )
        .get({ hash }) as BearerRow | undefined;
      if (row === undefined || replaced.get(row.id) === hash) {
        return null;
      }
      const { tokenHash: current, previousHash: before, rotatedAt, ...agent } = row;
      const isOver = rotatedAt !== null && elapsed(rotatedAt, steadyClock.now()) >= limits.agentRotationGraceMs;
      return { agent, presented: { hash, current, before, rotatesOnly: hash !== current && isOver } };
    },
    noteUse({ agent: { id, lastSeenAt }, presented }) {
      const now = clock.now();
      const before = presented.hash === presented.current ? presented.before : null;
      const isDue = lastSeenAt === null || elapsed(lastSeenAt, now) >= limits.agentTouchMs;
      if (before !== null) {
        replaced.set(id, before);
      }
      if (noting.has(id) || !(isDue || before !== null)) {
        return null;
      }
      noting.add(id);
      return db
        .save((writer) => {
          writer.prepare('UPDATE agent SET last_seen_at = ? WHERE id = ?').run(now, id);
          writer
            .prepare('UPDATE agent SET previous_hash = NULL, rotated_at = NULL WHERE id = ? AND previous_hash = ?')
            .run(id, before);
        })
        .finally(() => noting.delete(id));
    },
    list: () =>
      (
        db
          .prepare(`SELECT ${columns} FROM agent ORDER BY created_at DESC, id DESC LIMIT ${limits.agentsShown}`)
          .all() as StoredAgent[]
      ).map(toAgentView),
    byId: (agentId) =>
      (db.prepare(`SELECT ${columns} FROM agent WHERE agent_id = ?`).get(agentId.toLowerCase()) as
        | StoredAgent
        | undefined) ?? null,
    async revoke(agentId) {
      const { changes } = await db.save((writer) => revokeAgents(writer, 'agent_id = ?', agentId, steadyClock.now()));
      if (changes === 1) {
        ended(agentId);
      }
      return changes === 1;
    },
    async rotate({ agent, presented }) {
      const token = createToken('svca_', 32);
      const { changes } = await db.save((writer) =>
        writer
          .prepare(
            `UPDATE agent SET token_hash = @next, previous_hash = @hash, rotated_at = @now, updated_at = @now
             WHERE id = @id AND token_hash = @current AND revoked_at IS NULL`,
          )
          .run({
            id: agent.id,
            hash: presented.hash,
            current: presented.current,
            next: hashOf('bearer', token),
            now: steadyClock.now(),
          }),
      );
      return changes === 1 ? token : null;
    },
    ended,
    hashOf,
  };
}

/** Ends the credentials of the active Agents that match. */
export function revokeAgents(writer: Writer, condition: string, value: unknown, now: number) {
  return writer
    .prepare(`UPDATE agent SET revoked_at = ?, updated_at = ? WHERE ${condition} AND revoked_at IS NULL`)
    .run(now, now, value);
}

/** Stores the facts and the clock skew that an Agent reports. `updated_at` changes only with the facts. */
export function renewFacts(writer: Writer, id: number, facts: AgentFacts, skewMs: number, now: number): void {
  writer
    .prepare(
      `UPDATE agent SET updated_at = CASE WHEN host_name IS @hostName AND platform IS @platform AND
           os_version IS @osVersion AND agent_version IS @agentVersion THEN updated_at ELSE @now END,
         host_name = @hostName, platform = @platform, os_version = @osVersion, agent_version = @agentVersion,
         skew_ms = @skewMs
       WHERE id = @id`,
    )
    .run({ ...facts, skewMs, now, id });
}

/** The Agent without its number in the database. */
export function toAgentView({ id: _, ...agent }: StoredAgent): Agent {
  return agent;
}
