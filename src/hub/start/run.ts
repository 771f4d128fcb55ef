// Runs of the features: the first at the start of the hub, another each time the database is replaced. A feature drops its
// in-memory state when the database is replaced.
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import type { CallsUnderWay } from '#kernel/http/deferred.ts';
import { openHandles } from '#kernel/sqlite/open-handles.ts';
import { isDamage } from '#kernel/sqlite/refused-write.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import type { HubOptions } from '../base/config.ts';
import { type ReaderPools, startReaderPools } from '../base/readers/pools.ts';
import { createFact, createRefusal, describeCause } from '../base/refusals.ts';
import { createStatement, type Statement, toFacts } from '../base/statements.ts';
import { recoverDamaged } from '../base/storage/damage/recover.ts';
import type { DataFolder } from '../base/storage/data-folder.ts';
import { type Replacement, recoverReplacement } from '../base/storage/restore/replacement.ts';
import { prepareStorage } from '../base/storage/start.ts';
import { createLifecycle, type Features, type Lifecycle, openBase, startFeatures } from './features.ts';

/** The part of the hub that the listener needs; it changes when features start, stop or are replaced. */
export interface ServingState {
  features?: Features;
  isReady: boolean;
  /** Calls of the API that end when the database is replaced. */
  calls: CallsUnderWay;
}

export interface StartContext {
  /** Reader threads of the first run. */
  pools: ReaderPools;
  folder: DataFolder;
  url: URL;
  serving: ServingState;
}

/** Pause between two tries to open a database that could not be opened after a failed restore. */
const retryMs = 10_000;

export class FeatureRuns {
  readonly #options: HubOptions;
  readonly #folder: DataFolder;
  readonly #url: URL;
  readonly #serving: ServingState;
  #run: Lifecycle | null = null;
  /** Reader threads that no run has taken yet. */
  #spare: ReaderPools | null;
  #replacing: Promise<void> | null = null;
  #isStopping = false;
  /** Tries to resume after a failure of the disk. */
  #retry: AsyncDisposable | null = null;

  constructor(options: HubOptions, { folder, pools, url, serving }: StartContext) {
    this.#options = options;
    this.#folder = folder;
    this.#url = url;
    this.#serving = serving;
    this.#spare = pools;
  }

  /** Throws an Error with a sentence when the hub cannot start. */
  async start(): Promise<Features> {
    const { clock, log } = this.#options;
    const { hasData, replacement } = await prepareStorage({ folder: this.#folder, clock, log });
    if (replacement) {
      return this.#startWith(replacement);
    }
    return await this.#startRun(hasData).catch((error) => this.#startAfterDamage(error));
  }

  /** Ends the inputs, such as polls of routers and live streams; then, after `drained`, all other features. */
  async stop(drained: () => Promise<void>): Promise<void> {
    this.#isStopping = true;
    // The caller of the restore is answered with its outcome. A restore that fails may start the job of retries.
    await this.#replacing?.catch(() => undefined);
    await this.#retry?.[Symbol.asyncDispose]();
    this.#serving.isReady = false;
    this.#serving.features?.base.db.hurry();
    await this.#run?.inputs.disposeAsync();
    await drained();
    await this.#run?.opened.disposeAsync();
  }

  async #startRun(hasData: boolean): Promise<Features> {
    const run = createLifecycle();
    try {
      const readers = this.#spare ?? startReaderPools(this.#folder.databaseFile, this.#options.startsReaders);
      this.#spare = null;
      const base = openBase(this.#options, { folder: this.#folder, hasData }, run.opened.use(readers), run);
      const replace = (swap: () => Replacement) => this.#replace(swap);
      const features = await startFeatures(base, { url: this.#url, replace }, run);
      Object.assign(this.#serving, { features, isReady: true });
      this.#run = run;
      return features;
    } catch (error) {
      await endRun(run);
      throw error;
    }
  }

  async #endCurrent(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    await endRun(run);
  }

  #stopServing(): void {
    this.#serving.isReady = false;
    delete this.#serving.features;
  }

  async #startWith(replacement: Replacement): Promise<Features> {
    const { log } = this.#options;
    try {
      const features = await this.#startRun(true);
      const left = replacement.confirm();
      if (left !== null) {
        log.warn({}, left);
      }
      return features;
    } catch (cause) {
      this.#stopServing();
      await this.#endCurrent();
      replacement.undo();
      const failure = `the hub does not start with ${replacement.source}`;
      const outcome = 'the database from before is back';
      log.error({ err: cause }, `${failure}: ${outcome}`);
      const facts = [createFact('restore_no_start', describeCause(cause)), createFact('restore_kept')];
      throw createRefusal('restore_failed', `${failure} (${messageOf(cause)}): ${outcome}`, facts, { cause });
    }
  }

  /** Starts once more, since one failed read of the disk looks like damage; then recovers as from any damaged database. */
  async #startAfterDamage(first: unknown): Promise<Features> {
    if (!isDamage(first)) {
      throw first;
    }
    try {
      return await this.#startRun(true);
    } catch (error) {
      if (!isDamage(error)) {
        throw error;
      }
    }
    await waitUntilClosed(this.#folder.databaseFile);
    const { clock, log } = this.#options;
    const replacement = await recoverDamaged({ ...this.#folder, now: clock.now(), log }, false);
    return replacement ? this.#startWith(replacement) : this.#startRun(false);
  }

  async #replace(swap: () => Replacement): Promise<void> {
    this.#replacing = this.#replaceNow(swap);
    try {
      await this.#replacing;
    } finally {
      this.#replacing = null;
    }
  }

  async #replaceNow(swap: () => Replacement): Promise<void> {
    if (this.#isStopping) {
      throw new AppError('not_ready', 'the hub is stopping: nothing was changed; try again when it has started');
    }
    try {
      await this.#pause();
      await this.#startWith(swap());
    } catch (cause) {
      throw await this.#resumeAfter(cause);
    }
  }

  async #pause(): Promise<void> {
    this.#stopServing();
    const wait = { headers: { 'Retry-After': '2' } };
    this.#serving.calls.endAll(new AppError('not_ready', 'a backup is being restored: try again in a moment', wait));
    await this.#endCurrent();
    await waitUntilClosed(this.#folder.databaseFile);
  }

  /** Resolves to the error for the caller of the restore, also when the hub cannot go on. */
  async #resumeAfter(cause: unknown): Promise<AppError> {
    const { clock, log } = this.#options;
    const what = `the database could not be replaced (${messageOf(cause)})`;
    try {
      const outcome = await this.#startWhole();
      const facts = [createFact('restore_not_done', describeCause(cause)), ...toFacts(outcome)];
      return cause instanceof AppError
        ? cause
        : createRefusal('restore_failed', `${what}: ${outcome.sentence}`, facts, { cause });
    } catch (second) {
      const sentence = `${what}, and the hub cannot go on (${messageOf(second)}): see that its disk can be written; the hub tries again every ${retryMs / 1000} seconds`;
      log.error({ err: second }, sentence);
      this.#retry ??= startJob(clock, log, {
        name: 'going on after a failed restore',
        everyMs: retryMs,
        run: () => this.#resume(),
      });
      const facts = [
        createFact('restore_not_done', describeCause(cause)),
        createFact('restore_hub_down', describeCause(second)),
      ];
      return createRefusal('restore_failed', sentence, facts, { cause });
    }
  }

  async #resume(): Promise<void> {
    if (this.#run === null && this.#replacing === null) {
      this.#options.log.warn({}, `the hub goes on: ${(await this.#startWhole()).sentence}`);
    }
  }

  /**
   * Starts with the database from before, or with the new one when only the end of its replacement was missing. Resolves to
   * a statement of which.
   */
  async #startWhole(): Promise<Statement> {
    let outcome = createStatement('restore_kept', 'the database is what it was before');
    const say = (left: Statement) => {
      outcome = left;
    };
    recoverReplacement(this.#folder.databaseFile, say)?.undo();
    await this.#startRun(true);
    return outcome;
  }
}

async function endRun(run: Lifecycle | null): Promise<void> {
  await run?.inputs.disposeAsync();
  await run?.opened.disposeAsync();
}

/** Waits until every thread has closed the old file: a handle left open would write to a deleted file. */
async function waitUntilClosed(file: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 20) {
    const open = openHandles(file);
    if (open === 0) {
      return;
    }
    if (waitedMs >= limits.restoreCloseMs) {
      const message = `the database is still open ${open} times: nothing was changed; try again`;
      throw createRefusal('restore_failed', message, [createFact('database_open')]);
    }
    await systemClock.sleep(20);
  }
}
