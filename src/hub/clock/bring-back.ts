// Brings instants that are still to come back to now: those that were written while the clock was ahead.
import type { Writer, WriteSteps } from '#kernel/sqlite.ts';

/** Every column of an instant that has passed, by table. The audit trail is left as it is: it is append-only. */
const instants: Readonly<Record<string, readonly string[]>> = {
  source: ['first_seen', 'held_since'],
  destination: ['first_seen'],
  flow: ['first_seen', 'last_seen'],
  device: ['first_seen', 'last_seen', 'archived_at'],
  interface: ['first_seen', 'last_seen'],
  lease: ['since', 'last_seen', 'until'],
  merge_candidate: ['created_at', 'resolved_at'],
  device_merge: ['merged_at', 'undone_at'],
  detection: ['detected_at'],
  detection_told: ['at'],
  chat_message: ['created_at', 'next_at', 'ended_at', 'failed_at'],
  chat_alert: ['created_at', 'withdrawn_at'],
  beacon: ['first_seen', 'last_seen', 'detected_at'],
  coverage_subject: ['removed_at'],
  flow_link: ['seen_at'],
  router_address: ['first_seen', 'last_seen'],
  retro_match: ['previous_at', 'listed_at'],
};

/** Ends and next times, which are moved by as much as the instant that they were counted from. */
const counted: readonly string[] = [
  `UPDATE session SET expires_at = expires_at - max(0, last_seen_at - :now), created_at = min(created_at, :now),
     last_seen_at = min(last_seen_at, :now) WHERE last_seen_at > :now`,
  `UPDATE api_identity SET expires_at = expires_at - (created_at - :now), created_at = :now WHERE created_at > :now`,
  `UPDATE api_identity SET last_used_at = min(last_used_at, :now), revoked_at = min(revoked_at, :now)
     WHERE last_used_at > :now OR revoked_at > :now`,
  'UPDATE destination_answer SET until = until - (at - :now), at = :now WHERE at > :now',
  `UPDATE threat_part SET next_at = next_at - (attempted_at - :now), attempted_at = :now,
     checked_at = min(checked_at, :now), fetched_at = min(fetched_at, :now) WHERE attempted_at > :now`,
  `UPDATE threat_agreed SET fetched_at = min(fetched_at, :now), checked_at = min(checked_at, :now)
     WHERE fetched_at > :now OR checked_at > :now`,
];

const rowsAtOnce = 500;

/** Does what `bringBack` does for what a feature packs; returns how many rows it changed. */
export type AlsoBringBack = (writer: Writer, now: number) => WriteSteps<number>;

/** Returns how many rows were changed. One transaction: nothing is left between two times. */
export function* bringBack(writer: Writer, now: number, also: readonly AlsoBringBack[]): WriteSteps<number> {
  let changed = 0;
  for (const [table, columns] of Object.entries(instants)) {
    const late = columns.map((column) => `${column} > :now`).join(' OR ');
    const key = table === 'detection_told' ? '(type, device, dst)' : 'rowid';
    const keys = key.replace(/[()]/g, '');
    const update = writer.prepare(
      `UPDATE ${table} SET ${columns.map((column) => `${column} = min(${column}, :now)`).join(', ')}
       WHERE ${key} IN (SELECT ${keys} FROM ${table} WHERE ${late} LIMIT ${rowsAtOnce})`,
    );
    for (let rows = rowsAtOnce; rows === rowsAtOnce; ) {
      rows = update.run({ now }).changes;
      changed += rows;
      yield;
    }
  }
  for (const sql of counted) {
    changed += writer.prepare(sql).run({ now }).changes;
    yield;
  }
  for (const step of also) {
    changed += yield* step(writer, now);
  }
  return changed;
}
