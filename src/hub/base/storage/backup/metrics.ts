// Backups in /metrics: how many there are, how old the newest is, and how old it may be.
import type { BackupConfig } from '#contract/backup.ts';
import { hourMs } from '#kernel/time/time.ts';
import { createGauge, type MetricFamily, toTimeSample } from '../../metrics.ts';
import { isFromAhead, type StoredGeneration } from './inventory.ts';

/** Copies that a migration made are not counted. A backup with a time in the future is never the newest. */
export function describeBackups(
  stored: readonly StoredGeneration[],
  { intervalHours }: Pick<BackupConfig, 'intervalHours'>,
  now: number,
): MetricFamily[] {
  const backups = stored.filter(({ kind }) => kind === 'normal');
  const newest = backups
    .filter(({ createdAt }) => !isFromAhead(createdAt, now))
    .reduce<StoredGeneration | null>((a, b) => (a && a.createdAt > b.createdAt ? a : b), null);
  return [
    createGauge('gatehouse_backups', 'Backups in the backup folder.', backups.length),
    createGauge(
      'gatehouse_backup_newest_timestamp_seconds',
      'When the newest backup was made. Absent when there is none.',
      toTimeSample({}, newest?.createdAt ?? null),
    ),
    createGauge('gatehouse_backup_newest_size_bytes', 'Size of the newest backup.', newest?.size ?? null),
    createGauge(
      'gatehouse_backup_interval_seconds',
      'Interval of the scheduled backups.',
      (intervalHours * hourMs) / 1000,
    ),
  ];
}
