// Names of generations: what they are and when they were made can be read without opening them
// (docs/reference/wire-contract/3-records.md#39-backup-records).
import type { GenerationKind } from '#contract/backup.ts';
import { randomHex } from '#kernel/text/secret.ts';
import { isoTime, parseIsoTime } from '#kernel/time/clock.ts';

const pattern = /^monitor_(?:migration-(\d{3})_)?(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)-(\d\d)-(\d{3})-[0-9a-f]{8}\.db$/;

/**
 * `monitor_YYYY-MM-DD_HH-MM-SS-mmm-<8 hex digits>.db` (UTC); a copy from before a migration has `migration-NNN_`, the
 * version of its schema, after the first word.
 */
export function createGenerationName(at: number, migration: number | null = null): string {
  const [day, time = ''] = isoTime(at).slice(0, 23).split('T');
  const kind = migration === null ? '' : `migration-${String(migration).padStart(3, '0')}_`;
  return `monitor_${kind}${day}_${time.replaceAll(/[:.]/g, '-')}-${randomHex(8)}.db`;
}

/** Null for any other name: a path, a temporary file, a file of somebody else. */
export function parseGenerationName(name: string): { kind: GenerationKind; createdAt: number } | null {
  const [, version, day, hour, minute, second, ms] = pattern.exec(name) ?? [];
  const createdAt = day === undefined ? null : parseIsoTime(`${day}T${hour}:${minute}:${second}.${ms}Z`);
  return createdAt === null ? null : { kind: version === undefined ? 'normal' : 'migration', createdAt };
}
