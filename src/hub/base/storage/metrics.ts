// The disk and the database file in /metrics.
import { statSync } from 'node:fs';
import { ifThere } from '#kernel/files/files.ts';
import { createGauge, type MetricFamily } from '../metrics.ts';
import type { Room } from './disk-space.ts';

/** `file` is that of the database. */
export function describeStorage({ freeBytes, totalBytes, warnBelowBytes }: Room, file: string): MetricFamily[] {
  return [
    createGauge('gatehouse_disk_free_bytes', 'Free space on the disk of the database.', freeBytes),
    createGauge('gatehouse_disk_size_bytes', 'Size of the disk of the database.', totalBytes),
    createGauge('gatehouse_disk_warn_below_bytes', 'Below this free space the hub warns.', warnBelowBytes),
    createGauge('gatehouse_database_size_bytes', 'Size of the database file and of its write-ahead log.', [
      { labels: { file: 'main' }, value: measureFile(file) },
      { labels: { file: 'wal' }, value: measureFile(`${file}-wal`) },
    ]),
  ];
}

/** Returns 0 for a file that is missing: there is no write-ahead log at times. */
function measureFile(file: string): number {
  return ifThere(() => statSync(file).size, 0);
}
