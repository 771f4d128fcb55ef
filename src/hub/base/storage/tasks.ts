// What threads of the storage do: each task takes seconds, and the event loop does not wait for it.

import type { TaskRun } from '#kernel/process/task-thread.ts';
import { migrateClosed } from '#kernel/sqlite/database-copy.ts';
import type { StoredGeneration } from './backup/inventory.ts';
import { makeSnapshot, type SnapshotTask } from './backup/snapshot.ts';
import { verifyGeneration } from './backup/verify.ts';
import { migrationsFolder } from './product.ts';
import { type PruneTask, prune } from './prune/work.ts';
import { type PrepareTask, prepareDatabase } from './restore/prepare.ts';

export const tasks = {
  snapshot: (task: SnapshotTask, { report }: TaskRun) => makeSnapshot(task, report),
  prepare: (task: PrepareTask, { report }: TaskRun) => prepareDatabase(task, report),
  verify: (stored: StoredGeneration, { signal }: TaskRun) => verifyGeneration(stored, signal),
  prune: (task: PruneTask, run: TaskRun) => prune(task, run),
  migrate: ({ file }: { file: string }) => migrateClosed(file, migrationsFolder),
};

export type StorageTasks = typeof tasks;
