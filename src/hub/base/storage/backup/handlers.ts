// Answers the backup routes: list, create, download, restore, upload, check and prune.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { AppError } from '#kernel/errors.ts';
import { type BodyStream, bodyStream } from '#kernel/http/ready-body.ts';
import { reply } from '#kernel/http/route.ts';
import { withChanges } from '#kernel/text/changes.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { Auth } from '../../auth/auth.ts';
import type { Base, HubHandlers } from '../../feature.ts';
import { toMessage } from '../../statements.ts';
import type { PruneJobs } from '../prune/jobs.ts';
import { toBackupSummary } from '../prune/summary.ts';
import { readFreeBytes } from '../room.ts';
import { formatContentDigest, parseContentDigest } from './digest.ts';
import type { Hook } from './hook.ts';
import { findGeneration, readInventory, type StoredGeneration, type Verdicts } from './inventory.ts';
import { readManifest } from './manifest.ts';
import type { Operations } from './operations.ts';
import { measureDatabase } from './snapshot.ts';

interface Options {
  base: Base;
  auth: Pick<Auth, 'audit' | 'toActor'>;
  operations: Operations;
  /** The operator's program that runs after each backup. */
  hook: Pick<Hook, 'state' | 'warning'>;
