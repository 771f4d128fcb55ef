// Runs of the features: the first one at the start of the hub, another one each time the database is replaced. Nothing that
// a feature has in memory outlives the database it was read from.
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import type { CallsUnderWay } from '#kernel/http/deferred.ts';
import { openHandles } from '#kernel/sqlite/open-handles.ts';
import { isDamage } from '#kernel/sqlite/refused-write.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import type { HubOptions } from '../base/config.ts';
import { type ReaderPools, startReaderPools } from '../base/readers/pools.ts';
import { recoverDamaged } from '../base/storage/damage/recover.ts';
import type { DataFolder } from '../base/storage/data-folder.ts';
import { type ReplaceDatabase, type Replacement, recoverReplacement } from '../base/storage/restore/replacement.ts';
import { prepareStorage } from '../base/storage/start.ts';
import { createLifecycle, type Features, type Lifecycle, openBase, startFeatures } from './features.ts';

/** What of a hub answers by now. */
export interface Answering {
  features?: Features;
  isReady: boolean;
  /** Calls of the API that end when the database is replaced. */
  calls: CallsUnderWay;
}

export interface Runs {
  /** Throws an Error with a sentence when the hub cannot start. */
  start(): Promise<Features>;
  /** Ends what brings work by itself, and then, after `drained`, everything. */
  stop(drained: () => Promise<void>): Promise<void>;
}

interface Scene {
  /** Of the first run. */
  pools: ReaderPools;
  folder: DataFolder;
  url: URL;
  answering: Answering;
}

interface State {
  run: Lifecycle | null;
  ahead?: ReaderPools;
  replacing: Promise<void> | null;
  isStopping: boolean;
  /** Tries to go on after a failure of the disk. */
  again: AsyncDisposable | null;
}

/** Between two tries to go on with a database that could not be opened. */
const againMs = 10_000;

export function createRuns(options: HubOptions, { folder, pools, url, answering }: Scene): Runs {
  const { log, clock } = options;
  const state: State = { run: null, isStopping: false, ahead: pools, replacing: null, again: null };
  const end = async (run: Lifecycle | null) => {
    await run?.inputs.disposeAsync();
    await run?.opened.disposeAsync();
  };
  const begin = async (hasData: boolean) => {
    const run = createLifecycle();
    try {
      const readers = state.ahead ?? startReaderPools(folder.databaseFile, options.startsReaders);
      delete state.ahead;
      const base = openBase(options, { folder, hasData }, run.opened.use(readers), run);
      const features = await startFeatures(base, { url, replace }, run);
      Object.assign(answering, { features, isReady: true });
      state.run = run;
      return features;
    } catch (error) {
      await end(run);
      throw error;
    }
  };
  const pause = async () => {
    answering.isReady = false;
    delete answering.features;
    const wait = { headers: { 'Retry-After': '2' } };
    answering.calls.endAll(new AppError('not_ready', 'a backup is being restored: try again in a moment', wait));
    const { run } = state;
    state.run = null;
    await end(run);
    await closedEverywhere(folder.databaseFile);
  };
  const beginWith = async (replacement: Replacement) => {
    try {
      const features = await begin(true);
      const left = replacement.confirm();
      if (left !== null) {
        log.warn({}, left);
      }
      return features;
    } catch (cause) {
      answering.isReady = false;
      delete answering.features;
      await end(state.run);
      state.run = null;
      replacement.undo();
      log.error({ err: cause }, `the hub does not start with ${replacement.source}: the database from before is back`);
      throw new AppError(
        'restore_failed',
        `the hub does not start with ${replacement.source} (${messageOf(cause)}): the database from before is back`,
        { cause },
      );
    }
  };
  /** The start reads a damaged page: once more, as a failed read of the disk looks the same; then as any damaged database. */
  const beginAfterDamage = async (first: unknown) => {
    if (!isDamage(first)) {
      throw first;
    }
    try {
      return await begin(true);
    } catch (error) {
      if (!isDamage(error)) {
        throw error;
      }
    }
    await closedEverywhere(folder.databaseFile);
    const replacement = await recoverDamaged({ ...folder, now: clock.now(), log }, false);
    return replacement ? beginWith(replacement) : begin(false);
  };
  const replaceNow = async (swap: () => Replacement) => {
    if (state.isStopping) {
      throw new AppError('not_ready', 'the hub is stopping: nothing was changed; try again when it has started');
    }
    try {
      await pause();
      await beginWith(swap());
    } catch (cause) {
      throw await goOnAfter(cause);
    }
  };
  /**
   * Begins with the database from before, or with the new one when only its end was missing; resolves to what the caller is
   * answered, also when the hub cannot go on.
   */
  const goOnAfter = async (cause: unknown): Promise<AppError> => {
    const what = `the database could not be replaced (${messageOf(cause)})`;
    try {
      const message = `${what}: ${await settle()}`;
      return cause instanceof AppError ? cause : new AppError('restore_failed', message, { cause });
    } catch (second) {
      const sentence = `${what}, and the hub cannot go on (${messageOf(second)}): see that its disk can be written; the hub tries again every ${againMs / 1000} seconds`;
      log.error({ err: second }, sentence);
      state.again ??= startJob(clock, log, { name: 'going on after a failed restore', everyMs: againMs, run: goOn });
      return new AppError('restore_failed', sentence, { cause });
    }
  };
  /** Begins with one of the two databases; resolves to a sentence that says which. */
  const settle = async (): Promise<string> => {
    const said: string[] = [];
    recoverReplacement(folder.databaseFile, (sentence) => said.push(sentence))?.undo();
    await begin(true);
    return said[0] ?? 'the database is what it was before';
  };
  const goOn = async () => {
    if (state.run === null && state.replacing === null) {
      log.warn({}, `the hub goes on: ${await settle()}`);
    }
  };
  const replace: ReplaceDatabase = async (swap) => {
    state.replacing = replaceNow(swap);
    try {
      await state.replacing;
    } finally {
      state.replacing = null;
    }
  };
  return {
    async start() {
      const { hasData, replacement } = await prepareStorage({ folder, clock, log });
      return replacement ? beginWith(replacement) : await begin(hasData).catch(beginAfterDamage);
    },
    async stop(drained) {
      state.isStopping = true;
      await state.again?.[Symbol.asyncDispose]();
      // Its caller is answered with how it ended.
      await state.replacing?.catch(() => undefined);
      answering.isReady = false;
      answering.features?.base.db.hurry();
      await state.run?.inputs.disposeAsync();
      await drained();
      await state.run?.opened.disposeAsync();
    },
  };
}

/** A connection that goes on using the old file would lose what it writes: none may be left, in any thread. */
async function closedEverywhere(file: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 20) {
    const open = openHandles(file);
    if (open === 0) {
      return;
    }
    if (waitedMs >= limits.restoreCloseMs) {
      throw new AppError('restore_failed', `the database is still open ${open} times: nothing was changed; try again`);
    }
    await systemClock.sleep(20);
  }
}
