// Stores a batch: all of it in one transaction that is on disk before its ACK, or nothing. The same batch again gets
// the ACK of the first time (docs/reference/wire-contract/4-endpoints.md#ack).
import { createHash } from 'node:crypto';
import type { AgentBatch, AgentObservation } from '#contract/agent-ingest.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { dayMs, hourMs } from '#kernel/time/time.ts';
import type { StoredAgent } from '../../base/auth/agent-bearer.ts';
import { unkeptAddress } from '../../base/unkept-address.ts';
import type { FindMark, Marks } from '../../record/connections/privacy/marks.ts';
import type { Contact } from '../../record/connections/record/recorder.ts';
import { renewFacts } from './registry.ts';

export interface StoredBatch {
  accepted: number;
  duplicate: number;
  receivedAt: number;
  replayed: boolean;
  /** Whether a replay has other observations than the first delivery. */
  differs: boolean;
}

const stepRows = 50;

export interface Ingest {
  /**
   * Resolves when the batch is on disk. Rejects with AppError `observation_window` when a time of an observation cannot be
   * (nothing is stored), `unauthorized` when the Agent was revoked meanwhile, and as `Db.save` does.
   */
  store(agent: StoredAgent, batch: AgentBatch): Promise<StoredBatch>;
}

interface Delivery {
  agent: StoredAgent;
  batch: AgentBatch;
  /** SHA-256 of the observations. */
  content: Buffer;
  resolve(stored: StoredBatch): void;
  reject(error: unknown): void;
}

export interface IngestOptions {
  db: Db;
  clock: Clock;
  marks: Marks;
  /** Raises the threats among contacts that are not kept, where the rule asks for it. */
  tellUnkept: (contacts: readonly Contact[]) => Promise<void>;
}

/** Batches that arrive during a transaction share the next one, and with it the wait for the disk. */
export function createIngest({ db, clock, marks, tellUnkept }: IngestOptions): Ingest {
  let waiting: Delivery[] = [];
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const outcomes = await db.save((writer) => storeGroup(writer, group, clock.now()));
        for (const settle of outcomes) {
          settle();
        }
      } catch (error) {
        for (const { reject } of group) {
          reject(error);
        }
      }
    }
    isRunning = false;
  };
  return {
    async store(agent, batch) {
      const content = createHash('sha256').update(JSON.stringify(batch.observations)).digest();
      const { stripped, told } = stripUnkept(batch, marks.open({ routerId: agent.agentId, kind: 'agent' }));
      const stored = await new Promise<StoredBatch>((resolve, reject) => {
        waiting.push({ agent, batch: stripped, content, resolve, reject });
        if (!isRunning) {
          void run();
        }
      });
      if (!stored.replayed && told.length > 0) {
        await tellUnkept(told);
      }
      return stored;
    },
  };
}

/** What to do with each delivery after the commit. One that is refused writes nothing; a failure of the database fails all. */
function* storeGroup(writer: Writer, group: readonly Delivery[], now: number): WriteSteps<(() => void)[]> {
  const outcomes: (() => void)[] = [];
  for (const delivery of group) {
    try {
      const stored = yield* storeBatch(writer, delivery, now);
      outcomes.push(() => delivery.resolve(stored));
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error;
      }
      outcomes.push(() => delivery.reject(error));
    }
  }
  return outcomes;
}

function* storeBatch(writer: Writer, { agent, batch, content }: Delivery, now: number): WriteSteps<StoredBatch> {
  const known = writer
    .prepare(
      `SELECT accepted, duplicate, received_at AS receivedAt, content FROM agent_batch
       WHERE agent = ? AND batch_id = ?`,
    )
    .get(agent.id, batch.batchId) as (StoredBatch & { content: Buffer }) | undefined;
  if (known) {
    const { accepted, duplicate, receivedAt } = known;
    return { accepted, duplicate, receivedAt, replayed: true, differs: !known.content.equals(content) };
  }
  requireActive(writer, agent);
  requireWindow(batch.observations, now);
  const { lastInsertRowid } = writer
    .prepare(
      `INSERT INTO agent_batch (agent, batch_id, content, accepted, duplicate, sent_at, received_at)
       VALUES (@agent, @batchId, @content, 0, 0, @sentAt, @now)`,
    )
    .run({ agent: agent.id, batchId: batch.batchId, content, sentAt: batch.sentAt, now });
  const accepted = yield* insertObservations(writer, agent.id, Number(lastInsertRowid), batch.observations);
  const duplicate = batch.observations.length - accepted;
  writer
    .prepare('UPDATE agent_batch SET accepted = ?, duplicate = ? WHERE id = ?')
    .run(accepted, duplicate, lastInsertRowid);
  renewFacts(writer, agent.id, batch.agent, batch.sentAt - now, now);
  return { accepted, duplicate, receivedAt: now, replayed: false, differs: false };
}

function requireActive(writer: Writer, { id }: StoredAgent): void {
  if (writer.prepare('SELECT 1 FROM agent WHERE id = ? AND revoked_at IS NULL').get(id) === undefined) {
    throw new AppError('unauthorized', 'this Agent was revoked in the meantime: nothing was stored');
  }
}

interface Rejected {
  index: number;
  reason: 'outside_retention' | 'future_timestamp';
}

function requireWindow(observations: readonly AgentObservation[], now: number): void {
  const rejected = observations.flatMap(({ firstObservedAt, lastObservedAt }, index): Rejected[] => {
    if (lastObservedAt < now - limits.agentPastMs) {
      return [{ index, reason: 'outside_retention' }];
    }
    const isFuture = Math.max(firstObservedAt, lastObservedAt) > now + limits.agentFutureMs;
    return isFuture ? [{ index, reason: 'future_timestamp' }] : [];
  });
  if (rejected.length > 0) {
    throw new AppError(
      'observation_window',
      `${rejected.length} observations lie outside the last ${limits.agentPastMs / dayMs} days and the next ` +
        `${limits.agentFutureMs / hourMs} hours: nothing was stored; leave these out, and check the clock`,
      { details: { rejected } },
    );
  }
}

/** Returns how many of the observations were new. */
function* insertObservations(
  writer: Writer,
  agent: number,
  batch: number,
  observations: readonly AgentObservation[],
): WriteSteps<number> {
  const insert = writer.prepare(
    `INSERT INTO agent_observation (batch, place, agent, observation_id, proto, local_address, local_port,
       remote_address, remote_port, process_id, process, bundle_id, first_at, last_at, bytes_in, bytes_out, collector,
       confidence)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (observation_id, agent) DO NOTHING`,
  );
  let accepted = 0;
  for (const [place, one] of observations.entries()) {
    const { changes } = insert.run(
      ...[
        batch,
        place,
        agent,
        Buffer.from(one.observationId.replaceAll('-', ''), 'hex'),
        one.networkProtocol.toUpperCase(),
      ],
      ...[one.localAddress, one.localPort, one.remoteAddress, one.remotePort, one.processID, one.processName],
      ...[one.bundleID, one.firstObservedAt, one.lastObservedAt, one.bytesIn, one.bytesOut],
      ...[one.collector, one.confidence],
    );
    accepted += changes;
    if (place % stepRows === stepRows - 1) {
      yield;
    }
  }
  return accepted;
}

/**
 * Takes destination and program out of what is not kept. The rest stays: a second delivery of the observation is known by
 * its id, and it is counted when it is recorded. `told`: what is to be judged before it is forgotten.
 */
function stripUnkept(batch: AgentBatch, findMark: FindMark): { stripped: AgentBatch; told: Contact[] } {
  const told: Contact[] = [];
  const observations = batch.observations.map((one) => {
    const mark = findMark(one.localAddress);
    if (mark?.tellThreats) {
      const { localAddress: src, remoteAddress: dst, remotePort: dport, networkProtocol: proto } = one;
      told.push({ src, dst, dport, proto });
    }
    return mark === null
      ? one
      : { ...one, remoteAddress: unkeptAddress, remotePort: 1, processID: 0, processName: '-', bundleID: null };
  });
  return { stripped: { ...batch, observations }, told };
}
