// Runs of the features: the first one at the start of the hub, another one each time the database is replaced. Nothing that
// a feature has in memory outlives the database it was read from.
import { limits } from '#contract/limits.ts';
import { systemClock } from '#kernel/clock.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import type { CallsUnderWay } from '#kernel/http/deferred.ts';
import { openHandles } from '#kernel/open-handles.ts';
import type { HubOptions } from './config.ts';
import { createLifecycle, type Features, type Lifecycle, openBase, startFeatures } from './features.ts';
import { type ReaderPools, startReaderPools } from './readers/pools.ts';
import type { DataFolder } from './storage/data-folder.ts';
import type { ReplaceDatabase, Replacement } from './storage/restore/replacement.ts';
import { prepareStorage } from './storage/start.ts';

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

export function createRuns(options: HubOptions, { folder, pools, url, answering }: Scene): Runs {
  const { log, clock } = options;
  const state: { run: Lifecycle | null; ahead?: ReaderPools; replacing: Promise<void> | null; isStopping: boolean } = {
    run: null,
    isStopping: false,
    ahead: pools,
    replacing: null,
  };
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
      replacement.confirm();
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
  const replaceNow = async (swap: () => Replacement) => {
    if (state.isStopping) {
      throw new AppError('not_ready', 'the hub is stopping: nothing was changed; try again when it has started');
    }
    try {
      await pause();
      await beginWith(swap());
    } catch (error) {
      // The caller must hear why it failed, also when the hub cannot go on.
      await begin(true).catch((second: unknown) => {
        log.error({ err: second }, `the hub cannot go on with its database (${messageOf(second)}): start it again`);
      });
      throw error;
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
      return replacement ? beginWith(replacement) : begin(hasData);
    },
    async stop(drained) {
      state.isStopping = true;
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
