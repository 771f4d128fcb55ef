// Records stored observations as flows, like the polls of routers: after their ACK, in the order in which they came, each
// exactly once. What a stop left over is recorded at the next start.
import { limits } from '#contract/limits.ts';
import { yieldToEventLoop } from '#kernel/clock.ts';
import { startJob } from '#kernel/job.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite.ts';
import type { RecordBatch } from '../connections/record/recorder.ts';
import type { Observation } from '../connections/store/observation.ts';
import type { Devices } from '../devices/devices.ts';
import type { Base } from '../feature.ts';
import { agentAddresses } from './machine-addresses.ts';
import type { SessionLog } from './session-log.ts';

export interface Pipeline extends AsyncDisposable {
  /** Observations were stored. */
  wake(): void;
  /** Resolves when all that was stored before is recorded, or could not be. */
  settled(): Promise<void>;
}

interface Options extends Pick<Base, 'db' | 'clock' | 'log'> {
  record: RecordBatch;
  devices: Pick<Devices, 'record'>;
  sessionLog: Pick<SessionLog, 'noteAddresses'>;
}

/** A stored observation with the Agent it is of. */
interface StoredObservation {
  id: number;
  agent: number;
  proto: string;
  src: string;
  sport: number;
  dst: string;
  dport: number;
  pid: number;
  process: string;
  firstAt: number;
  lastAt: number;
  bytesIn: string | null;
  bytesOut: string | null;
  isExact: number;
  /** Part of a connection that an earlier observation began. */
  isPart: number;
}

const select = `SELECT o.id, o.agent, o.proto, o.local_address AS src, o.local_port AS sport, o.remote_address AS dst,
    o.remote_port AS dport, o.process_id AS pid, o.process, o.first_at AS firstAt, o.last_at AS lastAt,
    o.bytes_in AS bytesIn, o.bytes_out AS bytesOut, o.confidence = 'exact' AS isExact,
    o.last_at > o.first_at AND EXISTS (
      SELECT 1 FROM source s JOIN destination d JOIN flow f
        ON f.source_id = s.id AND f.destination_id = d.id AND f.dport = o.remote_port AND f.proto = o.proto
      JOIN agent_observation e ON e.flow = f.id AND e.first_at = o.first_at
      WHERE s.address = o.local_address AND d.address = o.remote_address AND e.agent = o.agent
        AND e.local_port = o.local_port) AS isPart
  FROM agent_observation o
  WHERE o.id > (SELECT recorded_to FROM agent_progress) AND o.flow IS NULL
  ORDER BY o.id LIMIT ${limits.agentRecordRows}`;

/** Records what is left over at once; then whenever it is woken, and every five minutes after a failure. */
export function startPipeline(options: Options): Pipeline {
  const { db, clock, log } = options;
  let running: Promise<void> | null = null;
  let isOver = false;

  const drain = async () => {
    for (;;) {
      await yieldToEventLoop();
      const rows = isOver ? [] : (db.prepare(select).all() as StoredObservation[]);
      if (rows.length === 0) {
        return;
      }
      await recordRows(options, rows);
    }
  };
  const run = () => {
    running ??= drain()
      .catch((error: unknown) =>
        log.error({ err: error }, 'what Agents delivered could not be recorded; it is tried again'),
      )
      .finally(() => {
        running = null;
      });
    return running;
  };
  const wake = () => void run();
  const job = startJob(clock, log, {
    name: 'recording what Agents delivered',
    everyMs: limits.agentReconcileEveryMs,
    run,
  });
  wake();
  return {
    wake,
    async settled() {
      while (running) {
        await running;
      }
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await job[Symbol.asyncDispose]();
      await running;
    },
  };
}

async function recordRows({ db, clock, record, devices, sessionLog }: Options, rows: readonly StoredObservation[]) {
  const byAgent = Map.groupBy(rows, ({ agent }) => agent);
  const last = rows.at(-1)?.id ?? 0;
  const agents = [...byAgent];
  for (const [index, [agent, some]] of agents.entries()) {
    const { agentId, host } = db
      .prepare('SELECT agent_id AS agentId, host_name AS host FROM agent WHERE id = ?')
      .get(agent) as { agentId: string; host: string };
    const addresses = agentAddresses(some);
    sessionLog.noteAddresses(addresses.keys());
    await record({
      routerId: agentId,
      kind: 'agent',
      name: host,
      observations: some.map((row) => toObservation(row, host)),
      now: clock.now(),
      *alsoWrite(writer) {
        yield* link(writer, some);
        noteAddresses(writer, agent, addresses);
        // The others of these rows are recorded by now.
        if (index === agents.length - 1) {
          writer.prepare('UPDATE agent_progress SET recorded_to = ?').run(last);
        }
      },
    });
    const sightings = [...addresses].map(([address, heardAt]) => ({
      ...{ address, mac: null, heardAt: Math.min(heardAt, clock.now()), sources: ['agent'] as const },
      ...{ observerId: agentId, agentId },
    }));
    if (sightings.length > 0) {
      await devices.record({ sightings, observerId: agentId });
    }
  }
}

function toObservation(row: StoredObservation, host: string): Observation {
  const { src, dst, dport, proto, sport, firstAt, lastAt, process, pid, bytesIn, bytesOut } = row;
  const counted = (digits: string | null) => (digits === null ? null : BigInt(digits));
  return {
    ...{ src, dst, dport, proto, ttl: null, startedAt: firstAt, at: lastAt },
    sport: sport === 0 ? null : sport,
    newSession: row.isPart ? undefined : row.isExact ? 'exact' : 'poll',
    agent: { host, process, pid, bytesIn: counted(bytesIn), bytesOut: counted(bytesOut) },
  };
}

/** Notes in which flow each observation was recorded. */
function* link(writer: Writer, rows: readonly StoredObservation[]): WriteSteps<void> {
  const find = writer
    .prepare(
      `SELECT f.id FROM source s JOIN destination d JOIN flow f ON f.source_id = s.id AND f.destination_id = d.id
       WHERE s.address = ? AND d.address = ? AND f.dport = ? AND f.proto = ?`,
    )
    .pluck();
  const update = writer.prepare('UPDATE agent_observation SET flow = ? WHERE id = ?');
  const flows = new Map<string, unknown>();
  for (const [index, { id, src, dst, dport, proto }] of rows.entries()) {
    const key = `${src} ${dst} ${dport} ${proto}`;
    if (!flows.has(key)) {
      flows.set(key, find.get(src, dst, dport, proto));
    }
    update.run(flows.get(key), id);
    if (index % 64 === 63) {
      yield;
    }
  }
}

function noteAddresses(writer: Writer, agent: number, addresses: ReadonlyMap<string, number>): void {
  const upsert = writer.prepare(
    `INSERT INTO agent_address (address, agent, first_at, last_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (address, agent) DO UPDATE SET first_at = min(first_at, excluded.first_at),
       last_at = max(last_at, excluded.last_at)`,
  );
  for (const [address, at] of addresses) {
    upsert.run(address, agent, at, at);
  }
}
