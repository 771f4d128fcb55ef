// Coverage of Agents: when they were last heard, and what they cannot see.
import type { agentCollectors } from '#contract/agent-ingest.ts';
import type { Agent } from '#contract/agents.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { blindSpotSentences } from '../../base/blind-spots.ts';
import type { CoverageState } from '../../record/coverage/span.ts';

type Collector = (typeof agentCollectors)[number];

/** An Agent that has nothing to deliver asks every 15 minutes what the hub takes; its sighting is noted at most once a minute. */
const silentMs = 17 * minuteMs;
const latestBatches = 20;

/** Collectors that see each connection as it begins, and those that see packets of sockets without a peer. */
const events: readonly Collector[] = ['socket-events', 'conntrack', 'network-extension', 'ebpf', 'etw'];
const packets: readonly Collector[] = ['conntrack', 'network-extension', 'ebpf', 'etw'];

export function agentCoverage(db: Db, agent: Agent, now: number): CoverageState[] {
  const { agentId, hostName, lastSeenAt, revokedAt } = agent;
  if (revokedAt !== null || lastSeenAt === null) {
    return [];
  }
  const cannotSee = blindSpots(listCollectors(db, agentId));
  const gap = now - lastSeenAt > silentMs ? 'silent' : null;
  const times = { seenUntil: lastSeenAt, togetherMs: silentMs };
  return [{ kind: 'agent', key: agentId, name: hostName, cannotSee, gap, part: null, ...times }];
}

/** The collectors of the latest deliveries. */
function listCollectors(db: Db, agentId: string): Collector[] {
  return db
    .prepare(
      `SELECT DISTINCT collector FROM agent_observation WHERE batch IN (
         SELECT b.id FROM agent_batch b JOIN agent a ON a.id = b.agent
         WHERE a.agent_id = ? ORDER BY b.id DESC LIMIT ${latestBatches})`,
    )
    .pluck()
    .all(agentId) as Collector[];
}

export function blindSpots(collectors: readonly Collector[]): string[] {
  const has = (some: readonly Collector[]) => collectors.some((one) => some.includes(one));
  return [
    ...(has(events) ? [] : [blindSpotSentences.between_socket_reads]),
    ...(has(packets) ? [] : [blindSpotSentences.unconnected_udp]),
  ];
}
