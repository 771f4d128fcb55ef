// The disk and the database file in /metrics.
import { stat } from 'node:fs/promises';
import { createGauge, type MetricFamily } from '../metrics.ts';
import type { Room } from './disk-space.ts';

/** `file` is that of the database. */
export async function describeStorage(
  { freeBytes, totalBytes, warnBelowBytes }: Room,
  file: string,
): Promise<MetricFamily[]> {
  return [
    createGauge('gatehouse_disk_free_bytes', 'Free space on the disk of the database.', freeBytes),
    createGauge('gatehouse_disk_size_bytes', 'Size of the disk of the database.', totalBytes),
    createGauge('gatehouse_disk_warn_below_bytes', 'Below this free space the hub warns.', warnBelowBytes),
    createGauge('gatehouse_database_size_bytes', 'Size of the database file and of its write-ahead log.', [
      { labels: { file: 'main' }, value: await measureFile(file) },
      { labels: { file: 'wal' }, value: await measureFile(`${file}-wal`) },
    ]),
  ];
}

/** Resolves to 0 for a file that is missing: there is no write-ahead log at times. */
async function measureFile(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  return found?.size ?? 0;
}
