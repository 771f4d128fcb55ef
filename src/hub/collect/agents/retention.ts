// The hub stores for seven days what Agents delivered
// (docs/reference/wire-contract/5-behaviours.md#52-ingest-comparison-retention). It deletes observations, then batches
// that have none any more and whose retry nobody may expect, then the router sessions that were compared with them.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { startJob } from '#kernel/time/job.ts';
import type { Base } from '../../base/feature.ts';

const stepRows = 500;

export function startAgentRetention({ db, clock, log }: Pick<Base, 'db' | 'clock' | 'log'>): AsyncDisposable {
  return startJob(clock, log, {
    name: 'removing what Agents delivered long ago',
    firstMs: limits.retentionFirstMs,
    everyMs: limits.agentRetentionEveryMs,
    run: () => db.write((writer) => removeBefore(writer, clock.now() - limits.agentRetentionMs)),
  });
}

function* removeBefore(writer: Writer, before: number): WriteSteps<void> {
  const batches = writer
    .prepare(
      `SELECT b.id FROM agent_batch b JOIN agent a ON a.id = b.agent
       WHERE b.received_at < ? AND b.id <= a.recorded_batch`,
    )
    .pluck()
    .all(before) as number[];
  // By batch: an index over the times of all observations would cost each delivery more than this costs in an hour.
  const observations = writer.prepare('DELETE FROM agent_observation WHERE batch = ? AND last_at < ?');
  const batch = writer.prepare(
    'DELETE FROM agent_batch WHERE id = ? AND NOT EXISTS (SELECT 1 FROM agent_observation WHERE batch = agent_batch.id)',
  );
  for (const id of batches) {
    observations.run(id, before);
    batch.run(id);
    yield;
  }
  const sessions = writer.prepare(
    `DELETE FROM router_session WHERE (src, dst, dport, proto, sport, observer, first_seen) IN (
       SELECT src, dst, dport, proto, sport, observer, first_seen FROM router_session WHERE last_seen < ? LIMIT ${stepRows})`,
  );
  while (sessions.run(before).changes > 0) {
    yield;
  }
  writer.prepare('DELETE FROM agent_address WHERE last_at < ?').run(before);
}
