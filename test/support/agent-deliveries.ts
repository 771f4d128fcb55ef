// Agents that deliver without a pause, through kills of their hub: what was acknowledged, and that it is stored exactly once.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { ClientError } from '#kernel/http/client.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { Random } from '#simulators/support/random.ts';
import { agentClient, batchOf, observation } from './agents.ts';

export interface Deliveries {
  /** Ids of the batches that were acknowledged. */
  readonly acked: ReadonlySet<string>;
  /** Batches whose first answer was lost, and that were acknowledged when they came again. */
  replayed(): number;
  /** Delivers to a hub until the result is called, which waits for what is under way. */
  start(url: URL): () => Promise<void>;
  /** Delivers what has no ACK yet, and nothing new. */
  finish(url: URL): Promise<void>;
  /** Throws unless every acknowledged batch is in the database of `dataDir` exactly once. */
  requireStored(dataDir: string): void;
  /** Throws unless every observation that was ever acknowledged is counted exactly once in the flows. */
  requireRecorded(dataDir: string): void;
}

type Batch = ReturnType<typeof batchOf>;

/** `tokens` are bearers, one for each Agent. */
export function createDeliveries(tokens: readonly string[], random: Random): Deliveries {
  const acked = new Set<string>();
  const observations = new Map<string, number>();
  const open = tokens.map((): Batch | null => null);
  let replayed = 0;

  const deliverOne = async (url: URL, agent: number, isLast: boolean): Promise<boolean> => {
    const batch = open[agent] ?? (isLast ? null : newBatch(random, agent));
    if (batch === null) {
      return false;
    }
    open[agent] = batch;
    try {
      const ack = await agentClient(url, tokens[agent] ?? '').agents.ingest({ body: batch });
      expect(ack).toMatchObject({ batchId: batch.batchId, accepted: batch.observations.length, duplicate: 0 });
      replayed += ack.replayed ? 1 : 0;
      acked.add(batch.batchId);
      observations.set(batch.batchId, batch.observations.length);
      open[agent] = null;
      return true;
    } catch (error) {
      // The hub is away, or refuses for now: the same batch comes again.
      const isForNow = !(error instanceof ClientError) || error.status === 429 || error.status >= 500;
      if (!isForNow) {
        throw error;
      }
      await systemClock.sleep(20);
      return true;
    }
  };

  return {
    acked,
    replayed: () => replayed,
    start(url) {
      let isOver = false;
      const loops = tokens.map(async (_, agent) => {
        while (!isOver) {
          await deliverOne(url, agent, false);
        }
      });
      return async () => {
        isOver = true;
        await Promise.all(loops);
      };
    },
    async finish(url) {
      for (const agent of tokens.keys()) {
        while (await deliverOne(url, agent, true)) {
          // Again, until there is nothing left.
        }
      }
    },
    requireStored(dataDir) {
      reading(dataDir, (db) => {
        expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
        const stored = db.prepare('SELECT batch_id AS id, accepted FROM agent_batch').all() as {
          id: string;
          accepted: number;
        }[];
        const byId = new Map(stored.map(({ id, accepted }) => [id, accepted]));
        expect(byId.size).toBe(stored.length);
        const missing = [...acked].filter((id) => byId.get(id) !== observations.get(id));
        expect(missing, 'acknowledged, and not in the database').toEqual([]);
        const { rows } = db.prepare('SELECT COUNT(*) AS rows FROM agent_observation').get() as { rows: number };
        expect(rows).toBe(stored.reduce((sum, { accepted }) => sum + accepted, 0));
      });
    },
    requireRecorded(dataDir) {
      reading(dataDir, (db) => {
        const { bytes } = db.prepare('SELECT SUM(CAST(bytes_in AS INTEGER)) AS bytes FROM flow').get() as {
          bytes: number;
        };
        expect(bytes).toBe([...observations.values()].reduce((sum, rows) => sum + rows, 0));
      });
    },
  };
}

/** Batches in the database of `dataDir` that are not recorded as flows. */
export function waitingBatches(dataDir: string): number {
  const sql = 'SELECT COUNT(*) FROM agent_batch b JOIN agent a ON a.id = b.agent WHERE b.id > a.recorded_batch';
  return reading(dataDir, (db) => Number(db.prepare(sql).pluck().get()));
}

function reading<T>(dataDir: string, work: (db: Database.Database) => T): T {
  const db = new Database(path.join(dataDir, 'monitor.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** One byte for each observation: the sum over all flows counts them. */
function newBatch(random: Random, agent: number): Batch {
  const at = systemClock.now();
  const rows = 1 + Math.floor(random.next() * 120);
  return batchOf(
    at,
    Array.from({ length: rows }, () =>
      observation(at, {
        observationId: randomUUID(),
        localAddress: `192.168.77.${agent + 1}`,
        localPort: 1024 + Math.floor(random.next() * 60_000),
        remoteAddress: `198.51.100.${Math.floor(random.next() * 250)}`,
        bytesIn: '1',
        bytesOut: null,
      }),
    ),
  );
}
