// Making a backup and restoring one: one at a time, the caller waits, the event loop does not.
import { rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { removeIfPossible } from '#kernel/files/files.ts';
import { type FileChecksum, receiveFile } from '#kernel/files/large-files.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { Base } from '../../feature.ts';
import { setAsideName } from '../damage/set-aside.ts';
import { notesChange } from '../restore/notes.ts';
import { type PrepareTask, usableHeader } from '../restore/prepare.ts';
import { discardIncoming, type ReplaceDatabase, replaceDatabase, replacementFiles } from '../restore/replacement.ts';
import { storageTask } from '../task.ts';
import { readDocuments } from './documents.ts';
import { generationAt } from './inventory.ts';
import type { Snapshot } from './snapshot.ts';

/** What is under way, for whoever asks meanwhile. */
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
  const files = replacementFiles(file);
  const state: { activity: Activity | null; tail: Promise<unknown> } = { activity: null, tail: Promise.resolve() };
  const stop = new AbortController();

  const begin = async <T>(what: Activity['what'], work: (report: (step: string) => void) => Promise<T>) => {
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
    return storageTask('snapshot', task, { signal: stop.signal, report });
  };
  const said = (source: string, former: string, missing: string | null) => {
    log.warn({ former, missing }, `the database was replaced by ${source}`);
    const sentence = `the database is that of ${source} now; what it was before is ${former}.`;
    return [sentence, missing, 'Every session has ended: log in again'].filter((one) => one !== null).join(' ');
  };
  const restoring = (what: 'restore' | 'upload') => {
    if (state.activity !== null || isPruning()) {
      const other = state.activity?.what ?? 'cleanup';
      throw new AppError('backup_busy', `a ${other} is under way: wait until it has ended, and try again`);
    }
    return <T>(work: (report: (step: string) => void) => Promise<T>) => begin(what, work);
  };
  const putBack = async (task: PrepareTask, source: string, report: (step: string) => void) => {
    const { documents } = await storageTask('prepare', task, { signal: stop.signal, report });
    try {
      report('making a safety copy');
      const safety = await snapshot(() => undefined).catch(isDamaged);
      report('replacing the database');
      const setAside = safety === null ? setAsideName(file, clock.now()) : null;
      const notes = notesChange(folder.notesFile, documents);
      const replaced = { missing: null as string | null };
      await replace(() => {
        const replacement = replaceDatabase({ file, now: clock.now(), source, setAside, notes });
        replaced.missing = replacement.missing;
        return replacement;
      });
      return said(source, safety?.name ?? setAside ?? '', replaced.missing);
    } catch (error) {
      discardIncoming(file);
      throw error;
    }
  };
  const operations: Operations = {
    async create() {
      if (state.activity !== null && state.activity.what !== 'create') {
        throw new AppError('backup_busy', `a ${state.activity.what} is under way: try again when it has ended`);
      }
      const run = state.tail.then(() => begin('create', snapshot));
      state.tail = run.catch(() => undefined);
      const result = await run;
      made(result);
      return result;
    },
    async restore(name) {
      const stored = generationAt(folder.backups, name);
      if (stored === null) {
        throw new AppError('not_found', 'there is no generation of this name: GET /api/backup/list names them');
      }
      return restoring('restore')((report) => {
        const refusal = { code: 'generation_damaged', what: `the generation ${name}` } as const;
        const source = `the generation ${name} of ${isoTime(stored.createdAt)}`;
        return putBack({ source: stored.file, refusal, target: files.incoming }, source, report);
      });
    },
    upload(body, sha256) {
      const uploaded = files.upload;
      return restoring('upload')(async (report) => {
        try {
          report('receiving');
          checkUpload(await receiveAnew(body, uploaded), sha256);
          const refusal = { code: 'upload_rejected', what: 'the uploaded file' } as const;
          // What is plainly none starts no thread.
          usableHeader(uploaded, refusal);
          return await putBack({ source: uploaded, refusal, target: files.incoming }, 'the uploaded file', report);
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
  return operations;
}

function checkUpload({ size, sha256 }: FileChecksum, expected: string | null): void {
  if (size < limits.uploadMinBytes) {
    throw new AppError('upload_rejected', `a database has more than ${size} bytes: send the raw file as body`);
  }
  if (expected !== null && expected !== sha256) {
    throw new AppError('digest_mismatch', 'the body is not what its Content-Digest says: send it again');
  }
}

/** A body that ended early or is too long has its sentence; the rest is the disk. */
async function receiveAnew(body: Readable, file: string): Promise<FileChecksum> {
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

/** Of a damaged database there is no whole copy: its files themselves are set aside. */
function isDamaged(error: unknown): null {
  if (error instanceof AppError && error.code === 'database_damaged') {
    return null;
  }
  throw error;
}
