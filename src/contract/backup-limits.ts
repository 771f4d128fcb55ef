// The limits of backups, for limits.ts. Sources: docs/reference/rest-api.md#8-limits,
// docs/reference/wire-contract/3-records.md#39-backup-records, docs/reference/wire-contract/4-endpoints.md#46-backup.

export const backupLimits = {
  /** Bytes of an uploaded database. */
  uploadBytes: 104_857_600,
  /** An upload below this is no database. */
  uploadMinBytes: 100,
  /** The settings of backups: default and lowest values. The hub adds the margin to the room that a migration needs. */
  backupIntervalHours: 24,
  backupGenerations: 7,
  backupGenerationsMin: 2,
  backupMigrationGenerationsMin: 1,
  backupMarginBytes: 268_435_456,
  /** How often it is looked whether a backup is due. */
  backupDueEveryMs: 60_000,
  backupDueFirstMs: 30_000,
  backupRetryMs: 3_600_000,
  /** How often the newest generation is compared with its checksums. */
  backupCheckFirstMs: 600_000,
  backupCheckEveryMs: 86_400_000,
  /** A prune job, and how many ended ones are remembered. */
  pruneTimeoutMs: 3_600_000,
  pruneTimeoutMinMs: 60_000,
  pruneTimeoutMaxMs: 21_600_000,
  pruneJobs: 10,
  /** How long the command of MONITOR_BACKUP_HOOK may take. */
  backupHookMs: 3_600_000,
  /** How long a restore waits until no thread has the old database open. */
  restoreCloseMs: 10_000,
} as const;
