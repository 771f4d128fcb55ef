// Merging devices and undoing it. A merge is one pointer: nothing of a device is moved or lost.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { findRoot } from './labels.ts';

export interface DeviceRow {
  id: number;
  deviceId: string;
  root: number;
  archivedAt: number | null;
  mergedInto: number | null;
}

/** The device with this id; undefined when there is none. */
export function findDevice(writer: Pick<Writer, 'prepare'>, deviceId: string): DeviceRow | undefined {
  const row = writer
    .prepare(
      `SELECT id, device_id AS deviceId, root, archived_at AS archivedAt, merged_into AS mergedInto
       FROM device WHERE device_id = ?`,
    )
    .get(deviceId);
  return row as DeviceRow | undefined;
}

/** Merges `dropped` into `keep`; both are roots. A pending candidate of exactly these two is approved by it. */
export function mergeRows(
  writer: Writer,
  { keep, dropped, now }: { keep: number; dropped: number; now: number },
): void {
  const candidate = writer
    .prepare(
      "SELECT id FROM merge_candidate WHERE status = 'pending' AND ((a = @keep AND b = @dropped) OR (a = @dropped AND b = @keep))",
    )
    .get({ keep, dropped }) as { id: number } | undefined;
  writer
    .prepare('UPDATE device SET merged_into = ?, archived_at = ?, note_covered = 0 WHERE id = ?')
    .run(keep, now, dropped);
  writer.prepare('UPDATE device SET root = ? WHERE root = ?').run(keep, dropped);
  if (candidate) {
    resolveCandidate(writer, candidate.id, 'approved', now);
  }
  writer
    .prepare('INSERT INTO device_merge (keep, dropped, merged_at, candidate) VALUES (?, ?, ?, ?)')
    .run(keep, dropped, now, candidate?.id ?? null);
}

/** Merges two devices, shown as the first; false when they are already one. */
export function unite(writer: Writer, { keep, drop, now }: { keep: number; drop: number; now: number }): boolean {
  const roots = { keep: findRoot(writer, keep), dropped: findRoot(writer, drop) };
  if (roots.keep === roots.dropped) {
    return false;
  }
  mergeRows(writer, { ...roots, now });
  return true;
}

/** Undoes the merge of `dropped`, which keeps the parts merged into it; its candidate is pending again. */
export function splitRows(writer: Writer, { dropped, now }: { dropped: number; now: number }): void {
  writer
    .prepare('UPDATE device SET merged_into = NULL, archived_at = NULL, note_covered = 0 WHERE id = ?')
    .run(dropped);
  writer
    .prepare(
      `WITH RECURSIVE part (id) AS (
         SELECT @dropped UNION ALL SELECT d.id FROM device d JOIN part ON d.merged_into = part.id
       )
       UPDATE device SET root = @dropped WHERE id IN (SELECT id FROM part)`,
    )
    .run({ dropped });
  const made = writer
    .prepare('SELECT id, candidate FROM device_merge WHERE dropped = ? AND undone_at IS NULL')
    .get(dropped) as { id: number; candidate: number | null };
  writer.prepare('UPDATE device_merge SET undone_at = ? WHERE id = ?').run(now, made.id);
  if (made.candidate !== null) {
    writer
      .prepare("UPDATE merge_candidate SET status = 'pending', resolved_at = NULL WHERE id = ?")
      .run(made.candidate);
  }
}

/** Ends a pending candidate. */
export function resolveCandidate(writer: Writer, id: number, status: 'approved' | 'rejected', now: number): void {
  writer.prepare('UPDATE merge_candidate SET status = ?, resolved_at = ? WHERE id = ?').run(status, now, id);
}
