// The room on the disk of the backups, and whether the next migration has enough of it
// (docs/reference/wire-contract/3-records.md#39-backup-records).
import type { BackupSummary, InventoryEntry } from '#contract/backup.ts';
import { limits } from '#contract/limits.ts';

export interface Space {
  /** Bytes of the database. */
  dbSize: number;
  freeBytes: number;
}

export function toBackupSummary({
  entries,
  dbSize,
  freeBytes,
}: Space & { entries: readonly InventoryEntry[] }): BackupSummary {
  const safetyMarginBytes = limits.backupMarginBytes;
  const migrationRequiredBytes = 2 * dbSize + safetyMarginBytes;
  return {
    dbSize,
    backupBytes: sumBytes(entries),
    freeBytes,
    safetyMarginBytes,
    migrationRequiredBytes,
    migrationReady: freeBytes >= migrationRequiredBytes,
    shortfallBytes: Math.max(0, migrationRequiredBytes - freeBytes),
  };
}

export function sumBytes(entries: readonly { size: number }[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0);
}
