// The registry and the enrolment of Agents on a database of their own, without a hub, for tests that move the clock.
import path from 'node:path';
import type { StoredAgent } from '#hub/base/auth/agent-bearer.ts';
import type { AuditEntry } from '#hub/base/auth/audit.ts';
import { openDocument } from '#hub/base/settings/document.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { startEnrolment } from '#hub/collect/agents/enrolment.ts';
import { createAgentRegistry } from '#hub/collect/agents/registry.ts';
import { createLog } from '#kernel/process/log.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { createKey } from '#kernel/text/secret.ts';
import { agentFacts } from './agents.ts';
import { ManualClock } from './manual-clock.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** An Agent as the database has it. */
export const storedAgent = (id: number): StoredAgent => ({
  ...{ id, agentId: `agent-${id}`, ...agentFacts },
  ...{ createdAt: 0, updatedAt: 0, lastSeenAt: null, revokedAt: null },
});

/** Puts Agents with these numbers into a database. */
export function insertAgents(db: Db, ...ids: readonly number[]): Promise<void> {
  return db.write((writer) => {
    const insert = writer.prepare(
      `INSERT INTO agent (id, agent_id, platform, host_name, os_version, agent_version, created_at, updated_at)
       VALUES (?, ?, 'linux', 'desk', '6.12', '1.0.0', 0, 0)`,
    );
    for (const id of ids) {
      insert.run(id, storedAgent(id).agentId);
    }
  });
}

export type AgentRegistryLab = Awaited<ReturnType<typeof openAgentRegistry>>;

/** `clock` is the steady clock. The wall clock is the same, or another one that is `wallAheadMs` ahead. */
export async function openAgentRegistry({ wallAheadMs = 0 } = {}) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const db = opened.adopt(openDatabase(path.join(folder.path, 'monitor.db')), (open) => open.close());
  const clock = new ManualClock();
  const wallClock = wallAheadMs === 0 ? clock : new ManualClock(clock.now() + wallAheadMs);
  const ended: string[] = [];
  const noted: AuditEntry[] = [];
  const settings = openDocument(path.join(folder.path, 'monitor.json'), createKey());
  const signals = { emit: (_: unknown, credential: unknown) => void ended.push(String(credential)) } as never;
  const registry = createAgentRegistry({ db, clock: wallClock, steadyClock: clock, settings, signals });
  const audit = { note: (entry: AuditEntry) => void noted.push(entry) };
  const log = createLog('agents', 'silent');
  const enrolment = opened.use(startEnrolment({ db, clock, log, registry, audit }));
  const apply = async (facts: Partial<Record<keyof typeof agentFacts, string>> = {}) => {
    const { code } = await enrolment.createCode();
    const agent = { ...agentFacts, ...facts } as typeof agentFacts;
    return enrolment.apply({ code, agent, address: 'a' });
  };
  const whole = opened.move();
  return {
    ...{ db, clock, ended, noted, registry, enrolment, settings, signals, apply },
    /** The bearer of a new Agent. */
    async enrol(): Promise<string> {
      const request = await apply();
      await enrolment.approve(request.requestId, false);
      return ((await enrolment.claim(request)) as { token: string }).token;
    },
    async wait(ms: number) {
      await clock.advance(ms);
      await db.settled();
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}
