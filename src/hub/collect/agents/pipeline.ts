// Records stored observations as flows, like the polls of routers: after their ACK, in the order in which they came, each
// exactly once. What a stop left over is recorded at the next start.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { stopwatch, yieldToEventLoop } from '#kernel/time/clock.ts';
import { startWorkLoop, type WorkLoop } from '#kernel/time/work-loop.ts';
import type { Base } from '../../base/feature.ts';
import type { Devices } from '../../identify/devices/devices.ts';
import type { Announcer } from '../../record/connections/announce.ts';
import type { RecordBatch } from '../../record/connections/record/recorder.ts';
import type { Observation } from '../../record/connections/store/observation.ts';
import type { PacketTimes } from '../../record/connections/store/uncertainty.ts';
import { connectionKey, createBegunConnections } from './begun-connections.ts';
import { latestAddresses } from './machine-addresses.ts';
import type { SessionLog } from './session-log.ts';
import type { StoredObservation } from './stored-observation.ts';

/**
 * Copies the stored observations of Agents into the connection log. Call `wake` after storing some. `settled()` resolves
 * when each of them is in the log or was given up.
 */
export type Pipeline = WorkLoop;

interface Options extends Pick<Base, 'db' | 'clock' | 'log'> {
  record: RecordBatch;
  devices: Pick<Devices, 'record'>;
  sessionLog: Pick<SessionLog, 'noteAddresses'>;
  announcer: Pick<Announcer, 'collect' | 'publish'>;
}

/** Batches of one Agent that are recorded together, so that a flow in several of them is written once. */
const stepBatches = 6;
/** Shortest time between two publications while there is more to record. */
const publishMs = 2000;

const selectWaiting = `SELECT id AS agent, agent_id AS agentId, host_name AS host FROM agent a
  WHERE (SELECT MAX(id) FROM agent_batch WHERE agent = a.id) > recorded_batch`;

const selectBatches = `SELECT MAX(id) AS last FROM (
  SELECT id FROM agent_batch WHERE agent = @agent AND id > (SELECT recorded_batch FROM agent WHERE id = @agent)
  ORDER BY id LIMIT ${stepBatches})`;

const select = `SELECT o.proto, o.local_address AS src, o.local_port AS sport, o.remote_address AS dst,
    o.remote_port AS dport, o.process_id AS pid, o.process, o.first_at AS firstAt, o.last_at AS lastAt,
    o.bytes_in AS bytesIn, o.bytes_out AS bytesOut, o.confidence = 'exact' AS isExact
  FROM agent_batch b JOIN agent_observation o ON o.batch = b.id
  WHERE b.agent = @agent AND b.id > (SELECT recorded_batch FROM agent WHERE id = @agent) AND b.id <= @last
  ORDER BY o.batch, o.place`;

/** Records at once what the last stop left over, then at each `wake`. Failed Agents are tried again every five minutes. */
export function startPipeline(options: Options): Pipeline {
  const { db, clock, log } = options;
  const recorder = createRecorder(options);
  /** Agents whose batches could not be recorded. They are skipped until the next retry, so that the others go on. */
  const failed = new Set<number>();
  let sinceRetry = stopwatch(() => clock.monotonic());

  const findWaiting = () => (db.prepare(selectWaiting).all() as Waiting[]).filter(({ agent }) => !failed.has(agent));
  const record = async (agent: Waiting) => {
    try {
      await recorder.record(agent);
    } catch (error) {
      failed.add(agent.agent);
      const { agentId } = agent;
      log.error({ err: error, agentId }, 'what this Agent delivered could not be recorded; it is tried again');
    }
  };
  const untilRetry = () => Math.max(1, limits.agentReconcileEveryMs - sinceRetry());
  return startWorkLoop({
    clock,
    async step(signal) {
      if (sinceRetry() >= limits.agentReconcileEveryMs) {
        sinceRetry = stopwatch(() => clock.monotonic());
        failed.clear();
      }
      for (let agents = findWaiting(); agents.length > 0 && !signal.aborted; agents = findWaiting()) {
        for (const agent of agents) {
          await yieldToEventLoop();
          await record(agent);
          await recorder.publishSome();
        }
      }
      await recorder.publish();
      return untilRetry();
    },
    failed(error) {
      log.error({ err: error }, 'what Agents delivered cannot be read, or published; it is tried again');
      return untilRetry();
    },
  });
}

/** An Agent with batches that are not recorded. */
interface Waiting {
  /** Number of the Agent in the database. */
  agent: number;
  agentId: string;
  host: string;
}

function createRecorder({ db, clock, record, devices, sessionLog, announcer }: Options) {
  const begun = createBegunConnections();
  let changed = announcer.collect();
  let sincePublished = stopwatch(() => clock.monotonic());
  const publish = async () => {
    const news = changed;
    changed = announcer.collect();
    sincePublished = stopwatch(() => clock.monotonic());
    await announcer.publish(news);
  };
  return {
    publish,
    /** Publishes unless the last publication is less than `publishMs` ago. */
    publishSome: () => (sincePublished() > publishMs ? publish() : undefined),
    async record({ agent, agentId, host }: Waiting) {
      const { last } = db.prepare(selectBatches).get({ agent }) as { last: number };
      const rows = db.prepare(select).all({ agent, last }) as StoredObservation[];
      await yieldToEventLoop();
      const addresses = latestAddresses(rows);
      sessionLog.noteAddresses(addresses.keys());
      const shown = new Set<string>();
      const observations = rows.map((row) => {
        const key = connectionKey(agent, row);
        const isPart = shown.has(key) || begun.isKnown(key);
        shown.add(key);
        return toObservation(row, host, isPart);
      });
      await record({
        ...{ routerId: agentId, kind: 'agent', name: host, observations, now: clock.now(), changed },
        *alsoWrite(writer) {
          yield* noteAddresses(writer, agent, addresses);
          writer.prepare('UPDATE agent SET recorded_batch = ? WHERE id = ?').run(last, agent);
        },
      });
      begun.remember(shown);
      const now = clock.now();
      const sightings = [...addresses].map(([address, heardAt]) => ({
        ...{ address, mac: null, heardAt: Math.min(heardAt, now), sources: ['agent'] as const },
        ...{ observerId: agentId, agentId },
      }));
      if (sightings.length > 0) {
        await devices.record({ sightings, observerId: agentId });
      }
    },
  };
}

function toObservation(row: StoredObservation, host: string, isPart: boolean): Observation {
  const { src, dst, dport, proto, sport, firstAt, lastAt, process, pid, bytesIn, bytesOut } = row;
  const counted = (digits: string | null) => (digits === null ? null : BigInt(digits));
  return {
    ...{ src, dst, dport, proto, ttl: null, startedAt: firstAt, at: lastAt },
    sport: sport === 0 ? null : sport,
    newSession: isPart ? undefined : row.isExact ? 'exact' : 'poll',
    times: toPacketTimes(row),
    agent: { host, process, pid, bytesIn: counted(bytesIn), bytesOut: counted(bytesOut) },
  };
}

/** Events name the start. A socket in a table, or an end that was told late, may have sent its last packet long before. */
function toPacketTimes({ firstAt, lastAt, isExact }: StoredObservation): PacketTimes {
  const by = isExact ? 'agent_event' : 'agent_poll';
  const from = isExact ? firstAt : null;
  return { first: { from, to: firstAt, by }, last: { from, to: lastAt, by } };
}

function* noteAddresses(writer: Writer, agent: number, addresses: ReadonlyMap<string, number>): WriteSteps<void> {
  const upsert = writer.prepare(
    `INSERT INTO agent_address (address, agent, first_at, last_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (address, agent) DO UPDATE SET first_at = min(first_at, excluded.first_at),
       last_at = max(last_at, excluded.last_at)`,
  );
  for (const [address, at] of addresses) {
    upsert.run(address, agent, at, at);
    yield;
  }
}
