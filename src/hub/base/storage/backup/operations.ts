// Making a backup and restoring one: one at a time, the caller waits, the event loop does not.
import { rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { removeIfPossible } from '#kernel/files/files.ts';
import { type FileChecksum, receiveFile } from '#kernel/files/large-files.ts';
import type { Base } from '../../feature.ts';
import { createSetAsideName } from '../damage/set-aside.ts';
import { toNotesChange } from '../restore/notes.ts';
import { type PrepareTask, readUsableSchema } from '../restore/prepare.ts';
import { discardIncoming, type ReplaceDatabase, replaceDatabase, toReplacementFiles } from '../restore/replacement.ts';
import { runStorageTask } from '../task.ts';
import { readDocuments } from './documents.ts';
import { findGeneration } from './inventory.ts';
import type { Snapshot } from './snapshot.ts';

export interface Activity {
  what: 'create' | 'restore' | 'upload';
  step: string;
  startedAt: number;
}

export interface Operations extends AsyncDisposable {
  /** Rejects with AppError `backup_busy` while a restore is under way, `backup_failed` when it cannot be made. */
  create(): Promise<Snapshot>;
  /** Resolves to a sentence. Rejects with an AppError; then the database is what it was. */
  restore(name: string): Promise<string>;
  /** As `restore`, of a file that comes; `sha256`: what it must have, lower-case hex. */
  upload(body: Readable, sha256: string | null): Promise<string>;
  activity(): Activity | null;
  settled(): Promise<unknown>;
}

interface Options {
  base: Base;
  replace: ReplaceDatabase;
  /** Called with each generation that was made and verified, but not with the copy before a restore. */
  made(snapshot: Snapshot): void;
  isPruning(): boolean;
}

export function createOperations({ base, replace, made, isPruning }: Options): Operations {
  const { clock, log, folder } = base;
  const file = folder.databaseFile;
  const files = toReplacementFiles(file);
  const state: { activity: Activity | null; tail: Promise<unknown> } = { activity: null, tail: Promise.resolve() };
  const stop = new AbortController();

  const runActivity = async <T>(what: Activity['what'], work: (report: (step: string) => void) => Promise<T>) => {
    const activity = { what, step: 'starting', startedAt: clock.now() };
    state.activity = activity;
    const report = (step: string) => void Object.assign(activity, { step });
    try {
      return await work(report);
    } finally {
      state.activity = null;
    }
  };
  const snapshot = (report: (step: string) => void) => {
    const task = { file, folder: folder.backups, at: clock.now(), migration: null, documents: readDocuments(folder) };
    return runStorageTask('snapshot', task, { signal: stop.signal, report });
  };
  const describeRestore = (what: string, source: string, former: string, missing: string | null) => {
    log.warn({ former, missing }, `the database was replaced by ${source}`);
    const sentence = `Restored ${what}. The previous state was saved as ${former}.`;
    return [sentence, missing, 'All sessions have ended. Log in again.'].filter((one) => one !== null).join(' ');
  };
  /** Throws AppError `backup_busy` while something else is under way. */
  const claimRestore = (what: 'restore' | 'upload') => {
    if (state.activity !== null || isPruning()) {
      const other = state.activity?.what ?? 'cleanup';
      throw new AppError('backup_busy', `a ${other} is under way: wait until it has ended, and try again`);
    }
    return <T>(work: (report: (step: string) => void) => Promise<T>) => runActivity(what, work);
  };
  const installPreparedDatabase = async (task: PrepareTask, what: string, report: (step: string) => void) => {
    const source = task.refusal.what;
    const { documents } = await runStorageTask('prepare', task, { signal: stop.signal, report });
    try {
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
      return describeRestore(what, source, safety?.name ?? setAside ?? '', missing);
    } catch (error) {
      discardIncoming(file);
      throw error;
    }
  };
  return {
    async create() {
      if (state.activity !== null && state.activity.what !== 'create') {
        throw new AppError('backup_busy', `a ${state.activity.what} is under way: try again when it has ended`);
      }
      const run = state.tail.then(() => runActivity('create', snapshot));
      state.tail = run.catch(() => undefined);
      const result = await run;
      made(result);
      return result;
    },
    async restore(name) {
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
    upload(body, sha256) {
      const uploaded = files.upload;
      return claimRestore('upload')(async (report) => {
        try {
          report('receiving');
          checkUpload(await receiveUpload(body, uploaded), sha256);
          const refusal = { code: 'upload_rejected', what: 'the uploaded file' } as const;
          // Rejects obviously wrong files before starting a thread.
          readUsableSchema(uploaded, refusal);
          const task = { source: uploaded, refusal, target: files.incoming };
          return await installPreparedDatabase(task, 'the uploaded file', report);
        } finally {
          removeIfPossible(uploaded);
        }
      });
    },
    activity: () => state.activity,
    settled: () => state.tail,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the hub is stopping'));
      await state.tail;
    },
  };
}

function checkUpload({ size, sha256 }: FileChecksum, expected: string | null): void {
  if (size < limits.uploadMinBytes) {
    throw new AppError('upload_rejected', `a database has more than ${size} bytes: send the raw file as body`);
  }
  if (expected !== null && expected !== sha256) {
    throw new AppError('digest_mismatch', 'the body is not what its Content-Digest says: send it again');
  }
}

/** A body that ended early or is too long has an AppError of its own; any other error is one of the disk. */
async function receiveUpload(body: Readable, file: string): Promise<FileChecksum> {
  try {
    rmSync(file, { force: true });
    return await receiveFile(body, file);
  } catch (error) {
    throw error instanceof AppError
      ? error
      : new AppError('backup_failed', `the upload could not be stored (${messageOf(error)}): nothing was changed`, {
          cause: error,
        });
  }
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
