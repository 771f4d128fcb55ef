// Making a backup and restoring one: one at a time, the caller waits, the event loop does not.
import type { Readable } from 'node:stream';
import type { Restored } from '#contract/backup.ts';
import { AppError } from '#kernel/errors.ts';
import { createUnderWay } from '#kernel/time/under-way.ts';
import type { Base } from '../../feature.ts';
import { createSetAsideName } from '../damage/set-aside.ts';
import { toNotesChange } from '../restore/notes.ts';
import type { Prepared, PrepareTask } from '../restore/prepare.ts';
import { discardIncoming, type ReplaceDatabase, replaceDatabase, toReplacementFiles } from '../restore/replacement.ts';
import { runStorageTask } from '../task.ts';
import { readDocuments } from './documents.ts';
import { findGeneration } from './inventory.ts';
import type { Snapshot } from './snapshot.ts';
import { type Report, type UploadWork, workOnUpload } from './uploaded-file.ts';

export interface Activity {
  what: 'create' | 'restore' | 'upload';
  step: string;
  startedAt: number;
}

export type Operations = ReturnType<typeof createOperations>;

interface Options {
  base: Base;
  replace: ReplaceDatabase;
  /** Called with each generation that was made and verified, but not with the copy before a restore. */
  made(snapshot: Snapshot): void;
  isPruning(): boolean;
}

export function createOperations({ base, replace, made, isPruning }: Options) {
  const { clock, log, folder } = base;
  const file = folder.databaseFile;
  const files = toReplacementFiles(file);
  const state: { activity: Activity | null; tail: Promise<unknown> } = { activity: null, tail: Promise.resolve() };
  const stop = new AbortController();
  const threads = createUnderWay();

  const runActivity = async <T>(what: Activity['what'], work: (report: Report) => Promise<T>) => {
    const activity = { what, step: 'starting', startedAt: clock.now() };
    state.activity = activity;
    const report = (step: string) => void Object.assign(activity, { step });
    try {
      return await work(report);
    } finally {
      state.activity = null;
    }
  };
  const snapshot = (report: Report) => {
    const task = { file, folder: folder.backups, at: clock.now(), migration: null, documents: readDocuments(folder) };
    return threads.track(runStorageTask('snapshot', task, { signal: stop.signal, report }));
  };
  /** Throws AppError `backup_busy` while something else is under way. */
  const claimRestore = (what: 'restore' | 'upload') => {
    if (state.activity !== null || isPruning()) {
      throw toBusyRefusal(state.activity?.what ?? 'cleanup');
    }
    return <T>(work: (report: Report) => Promise<T>) => runActivity(what, work);
  };
  /** Calls `use` with a prepared database, and removes the database unless `use` installed it. */
  const withPrepared = async <T>(task: PrepareTask, report: Report, use: (prepared: Prepared) => T | Promise<T>) => {
    try {
      return await use(await threads.track(runStorageTask('prepare', task, { signal: stop.signal, report })));
    } finally {
      discardIncoming(file);
    }
  };
  const installPreparedDatabase = (task: PrepareTask, what: string, report: Report) =>
    withPrepared(task, report, async ({ documents }) => {
      const source = task.refusal.what;
      report('making a safety copy');
      const safety = await snapshot(() => undefined).catch(ignoreDamage);
      report('replacing the database');
      const setAside = safety === null ? createSetAsideName(file, clock.now()) : null;
      const notes = toNotesChange(folder.notesFile, documents);
      let missing: string | null = null;
      await replace(() => {
        const replacement = replaceDatabase({ file, now: clock.now(), source, setAside, notes });
        missing = replacement.missing;
        return replacement;
      });
      const former = safety?.name ?? setAside ?? '';
      log.warn({ former, missing }, `the database was replaced by ${source}`);
      return describeRestore(what, former, missing);
    });
  const withUpload = <T>(body: Readable, sha256: string | null, work: UploadWork<T>) =>
    claimRestore('upload')((report) => workOnUpload({ body, sha256, files, report }, work));
  return {
    /** Rejects with AppError `backup_busy` while a restore is under way, `disk_full` or `backup_failed` when it cannot be made. */
    async create() {
      if (state.activity !== null && state.activity.what !== 'create') {
        throw toBusyRefusal(state.activity.what);
      }
      const run = state.tail.then(() => runActivity('create', snapshot));
      state.tail = run.catch(() => undefined);
      const result = await run;
      made(result);
      return result;
    },
    /** Rejects with an AppError; then the database is what it was. */
    async restore(name: string) {
      const stored = findGeneration(folder.backups, name);
      if (stored === null) {
        throw new AppError('not_found', 'there is no generation of this name: GET /api/backup/list names them');
      }
      return claimRestore('restore')((report) => {
        const refusal = { code: 'generation_damaged', what: `the generation ${name}` } as const;
        const task = { source: stored.file, refusal, target: files.incoming };
        return installPreparedDatabase(task, `the backup of ${formatMinute(stored.createdAt)}`, report);
      });
    },
    /** As `restore`, of a file that comes; `sha256`: what it must have, lower-case hex. */
    upload: (body: Readable, sha256: string | null) =>
      withUpload(body, sha256, (task, _size, report) => installPreparedDatabase(task, 'the uploaded file', report)),
    /** Rejects as `upload` does, but restores nothing. */
    check: (body: Readable, sha256: string | null) =>
      withUpload(body, sha256, (task, size, report) => withPrepared(task, report, ({ schema }) => ({ size, schema }))),
    activity: () => state.activity,
    settled: () => state.tail,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the hub is stopping'));
      // A restore itself may be what stops this feature, and has no thread by then.
      await threads.settled();
      await state.tail;
    },
  };
}

function toBusyRefusal(other: string): AppError {
  return new AppError('backup_busy', `a ${other} is under way: wait until it has ended, and try again`);
}

function describeRestore(what: string, former: string, missing: string | null): Restored {
  const sentence = `Restored ${what}. The previous state was saved as ${former}.`;
  const sentences = [sentence, missing, 'All sessions have ended. Log in again.'];
  return { message: sentences.filter((one) => one !== null).join(' '), former, missing };
}

/** UTC, such as `28 Nov 2026, 04:24 UTC`. */
function formatMinute(at: number): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat('en-GB', format).format(at)} UTC`;
}

/** A damaged database cannot be copied: its files are set aside instead. */
function ignoreDamage(error: unknown): null {
  if (error instanceof AppError && error.code === 'database_damaged') {
    return null;
  }
  throw error;
}
