// Backups of the database: generations, restore, retention. Rules: docs/reference/rest-api.md#backup and
// docs/reference/wire-contract/3-records.md#39-backup-records.
import { z } from 'zod';
import { del, get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { errorFacts } from './facts.ts';
import { limits } from './limits.ts';
import { wholeNumber } from './whole-number.ts';

/** `normal`: made by hand, by the schedule, or before a restore. `migration`: made before the schema was changed. */
export const generationKinds = ['normal', 'migration'] as const;
export type GenerationKind = (typeof generationKinds)[number];

/** `unchecked` until a preview of the cleanup, or a restore, has verified the file as it is now. */
export const integrities = ['unchecked', 'ok', 'failed'] as const;
export type Integrity = (typeof integrities)[number];

/** Size in bytes; `created` is ISO 8601. */
export const generation = z.object({ name: z.string(), size: z.int(), created: z.string() });

export const inventoryEntry = z
  .object({
    name: z.string(),
    kind: z.enum(generationKinds),
    size: z.int(),
    created: z.string(),
    integrity: z.enum(integrities),
    schema: z.int().nullable().describe('Version of its schema; null when it cannot be read'),
    error: z.string().optional().describe('What is wrong with it, or why it could not be verified'),
    errorFacts,
  })
  .meta({ title: 'Backup' });
export type InventoryEntry = z.output<typeof inventoryEntry>;

const bytes = { dbSize: z.int(), backupBytes: z.int(), freeBytes: z.int(), safetyMarginBytes: z.int() };

/** Bytes. A migration needs twice the database and a margin. */
export const backupSummary = z.object({
  ...bytes,
  migrationRequiredBytes: z.int(),
  migrationReady: z.boolean(),
  shortfallBytes: z.int(),
});
export type BackupSummary = z.output<typeof backupSummary>;

export const backupConfig = z.object({
  intervalHours: z.int(),
  maxGenerations: z.int(),
  maxBackupBytes: z.int(),
  autoPrune: z.boolean().describe('Prunes after each backup'),
});
export type BackupConfig = z.output<typeof backupConfig>;

export const pruneReasons = ['generation-limit', 'migration-retention', 'migration-space', 'storage-limit'] as const;
export type PruneReason = (typeof pruneReasons)[number];

const candidate = inventoryEntry.extend({ reason: z.enum(pruneReasons) });
export type PruneCandidate = z.output<typeof candidate>;

export const prunePlan = z.object({
  entries: z.array(inventoryEntry),
  candidates: z.array(candidate),
  candidateBytes: z.int(),
  summary: backupSummary.extend({
    projectedBackupBytes: z.int(),
    projectedFreeBytes: z.int(),
    projectedMigrationReady: z.boolean(),
  }),
  limits: z.object({
    maxGenerations: z.int(),
    maxBackupBytes: z.int(),
    minNormalGenerations: z.literal(limits.backupGenerationsMin),
    minMigrationGenerations: z.literal(limits.backupMigrationGenerationsMin),
  }),
  blocked: z.boolean().describe('The limits cannot be met by what may be deleted'),
  planHash: z.string().describe('Names this plan: an execution is bound to it. SHA-256 of what would be deleted, hex'),
});
export type PrunePlan = z.output<typeof prunePlan>;

export const pruneResult = z.object({
  deleted: z.array(
    z.object({ name: z.string(), kind: z.enum(generationKinds), size: z.int(), reason: z.enum(pruneReasons) }),
  ),
  deletedBytes: z.int(),
  diagnostics: z.object({ entries: z.array(inventoryEntry), summary: backupSummary }),
});
export type PruneResult = z.output<typeof pruneResult>;

export const pruneStatuses = [
  'running',
  'cancelling',
  'timing_out',
  'completed',
  'cancelled',
  'timed_out',
  'failed',
] as const;
export type PruneStatus = (typeof pruneStatuses)[number];

export const pruneJob = z
  .object({
    id: z.uuid(),
    operation: z.enum(['preview', 'execute']),
    source: z.enum(['manual', 'automatic']),
    status: z.enum(pruneStatuses),
    startedAt: z.string(),
    updatedAt: z.string(),
    finishedAt: z.string().nullable(),
    progress: z.object({
      phase: z.enum(['queued', 'planning', 'deleting']),
      completed: z.int().describe('Generations verified, then deleted'),
      total: z.int(),
      verifiedBytes: z.int(),
      totalBytes: z.int(),
    }),
    result: z
      .union([prunePlan, pruneResult])
      .optional()
      .describe(
        'The plan of a preview, the result of an execution; also of one that ended early, with what it had deleted',
      ),
    error: z.string().optional().describe('Why it ended early'),
    errorFacts,
  })
  .meta({ title: 'CleanupJob' });
export type PruneJob = z.output<typeof pruneJob>;

const named = z.strictObject({
  name: z.string().min(1).max(255).describe('Name of the backup, as GET /api/backup/list has it'),
});
const job = z.object({ success: z.literal(true), job: pruneJob });
const restored = z.object({
  success: z.literal(true),
  message: z.string().describe('What was restored, for people'),
  former: z.string().describe('Name of the backup that holds the previous state'),
  missing: z.string().nullable().describe('What is missing because the previous database could not be read'),
});
export type Restored = Omit<z.output<typeof restored>, 'success'>;
const jobParams = z.strictObject({ jobId: z.uuid().describe('The id that the start of the cleanup answered with') });

export const backupRoutes = {
  list: get('/api/backup/list', can('settings.write'), {
    summary: 'Generations, settings, inventory, free space, and whether the next migration has room',
    reply: {
      200: z.object({
        backups: z.array(generation).describe('Normal ones, the oldest first'),
        config: backupConfig,
        diagnostics: z.object({ entries: z.array(inventoryEntry), summary: backupSummary }),
        pruneJob: pruneJob.nullable().describe('The running one, else the latest'),
        activity: z
          .object({ what: z.enum(['create', 'restore', 'upload']), step: z.string(), startedAt: z.string() })
          .nullable(),
        /** The operator's program that takes each backup to another place; null without one. */
        hook: z
          .object({
            running: z.boolean(),
            endedAt: z.string().nullable().describe('Of the last run, ISO 8601; null while none has ended'),
            error: z.string().nullable(),
            errorFacts,
          })
          .nullable(),
      }),
    },
  }),
  create: post('/api/backup/create', can('settings.write'), {
    summary: 'Makes and verifies a consistent copy of the database',
    refusals: ['backup_busy'],
    body: z.strictObject({}),
    reply: { 200: z.object({ success: z.literal(true), name: z.string() }) },
    audit: 'backup_created',
  }),
  download: get('/api/backup/download/:name', can('backup.restore'), {
    summary: 'A generation as a file, with its Content-Digest (RFC 9530)',
    refusals: ['not_found'],
    params: z.strictObject({ name: z.string().describe('A name of the list, with its .db') }),
    reply: { 200: z.string() },
    media: ['application/octet-stream'],
  }),
  restore: post('/api/backup/restore', can('backup.restore'), {
    summary: 'Replaces the database by a generation, or leaves it as it is',
    refusals: ['not_found', 'backup_busy', 'generation_damaged'],
    body: named,
    reply: { 200: restored },
    audit: 'backup_restored',
  }),
  upload: post('/api/backup/upload', can('backup.restore'), {
    summary: 'Replaces the database by an uploaded one: the raw file as body, with its Content-Digest if that is known',
    refusals: ['digest_mismatch', 'upload_rejected', 'backup_busy'],
    upload: { maxBytes: limits.uploadBytes },
    reply: { 200: restored },
    audit: 'backup_restored',
  }),
  check: post('/api/backup/check', can('backup.restore'), {
    summary: 'Says whether an uploaded file could be restored: it is verified as for a restore, and not kept',
    refusals: ['digest_mismatch', 'upload_rejected', 'backup_busy'],
    upload: { maxBytes: limits.uploadBytes },
    reply: {
      200: z.object({
        success: z.literal(true),
        size: z.int().describe('Bytes of the file'),
        schema: z.int().describe('Version of its schema'),
      }),
    },
  }),
  config: post('/api/backup/config', can('settings.write'), {
    summary: 'Changes when backups are made and how many are stored',
    body: z.strictObject({
      intervalHours: wholeNumber(1).optional(),
      maxGenerations: wholeNumber(limits.backupGenerationsMin).optional(),
      maxBackupBytes: wholeNumber(0).optional(),
      autoPrune: z.boolean().optional(),
    }),
    reply: { 200: z.object({ success: z.literal(true), config: backupConfig }) },
  }),
  prune: post('/api/backup/prune', can('settings.write'), {
    summary: 'Verifies the generations and says which would be deleted, or deletes what the last preview named',
    refusals: ['prune_running', 'prune_preview_required'],
    body: z.strictObject({
      execute: z.boolean().default(false),
      planHash: z.string().max(64).optional().describe('Of the preview that is meant; the last one when absent'),
    }),
    reply: { 202: job },
  }),
  pruneJob: get('/api/backup/prune/:jobId', can('settings.write'), {
    summary: 'How a cleanup goes, and its plan or result',
    refusals: ['not_found'],
    params: jobParams,
    reply: { 200: job },
  }),
  cancelPrune: del('/api/backup/prune/:jobId', can('settings.write'), {
    summary: 'Ends a cleanup after the file it is at',
    refusals: ['not_found', 'prune_ended'],
    params: jobParams,
    reply: { 200: job },
  }),
} as const satisfies RouteTable<Access>;
