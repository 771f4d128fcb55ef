// Which generations may go and why: pure, from what a verification found (docs/reference/rest-api.md#backup).
import type { BackupConfig, InventoryEntry, PruneCandidate, PrunePlan, PruneReason } from '#contract/backup.ts';
import { limits } from '#contract/limits.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { parseIsoTime } from '#kernel/time/clock.ts';
import { compareAge } from '../backup/inventory.ts';
import { type Space, sumBytes, toBackupSummary } from './summary.ts';

export interface PlanInput extends Space {
  /** All generations, after their verification. */
  entries: readonly InventoryEntry[];
  config: Pick<BackupConfig, 'maxGenerations' | 'maxBackupBytes'>;
  /** Name → identity of the file as it was verified. */
  stamps: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * Only whole generations go, the oldest first; the two newest normal ones and the newest one from before a migration
 * always stay. A candidate has the first reason that holds, in the order of `pruneReasons`.
 */
export function planPrune({ entries, config, dbSize, freeBytes, stamps, now }: PlanInput): PrunePlan {
  const summary = toBackupSummary({ entries, dbSize, freeBytes });
  const newestFirst = entries.filter(({ integrity }) => integrity === 'ok').sort(createNewestFirst(now));
  const normal = newestFirst.filter(({ kind }) => kind === 'normal');
  const migration = newestFirst.filter(({ kind }) => kind === 'migration');
  const chosen = new Map<InventoryEntry, PruneReason>();
  const choose = (entries: readonly InventoryEntry[], reason: PruneReason) => {
    for (const entry of entries) {
      chosen.set(entry, reason);
    }
  };
  const sumChosen = () => sumBytes([...chosen.keys()]);
  /** Chooses the oldest normal ones that may go, as long as `isTooMuch`. */
  const chooseWhile = (isTooMuch: () => boolean, reason: PruneReason) => {
    for (const entry of normal.slice(limits.backupGenerationsMin).toReversed()) {
      if (!chosen.has(entry) && isTooMuch()) {
        chosen.set(entry, reason);
      }
    }
  };
  const overCap = () => config.maxBackupBytes > 0 && summary.backupBytes - sumChosen() > config.maxBackupBytes;
  const noRoom = () => freeBytes + sumChosen() < summary.migrationRequiredBytes;

  choose(normal.slice(Math.max(config.maxGenerations, limits.backupGenerationsMin)), 'generation-limit');
  choose(migration.slice(limits.backupMigrationGenerationsMin), 'migration-retention');
  chooseWhile(noRoom, 'migration-space');
  chooseWhile(overCap, 'storage-limit');

  const candidates: PruneCandidate[] = [...chosen].map(([entry, reason]) => ({ ...entry, reason }));
  const others = entries.filter((entry) => entry.kind === 'normal' && !chosen.has(entry)).length;
  return {
    entries: [...entries],
    candidates,
    candidateBytes: sumChosen(),
    summary: {
      ...summary,
      projectedBackupBytes: summary.backupBytes - sumChosen(),
      projectedFreeBytes: freeBytes + sumChosen(),
      projectedMigrationReady: !noRoom(),
    },
    limits: {
      maxGenerations: config.maxGenerations,
      maxBackupBytes: config.maxBackupBytes,
      minNormalGenerations: limits.backupGenerationsMin,
      minMigrationGenerations: limits.backupMigrationGenerationsMin,
    },
    blocked: others > config.maxGenerations || overCap() || noRoom(),
    planHash: hashPlan(candidates, stamps),
  };
}

const createNewestFirst = (now: number) => (one: InventoryEntry, other: InventoryEntry) =>
  compareAge(parseIsoTime(other.created) ?? 0, parseIsoTime(one.created) ?? 0, now) || (one.name < other.name ? 1 : -1);

function hashPlan(candidates: readonly PruneCandidate[], stamps: PlanInput['stamps']): string {
  const lines = candidates.map(({ name, reason }) => `${name} ${reason} ${stamps[name] ?? ''}`).sort();
  return sha256(lines.join('\n'));
}
