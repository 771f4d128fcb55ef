// The operator's program after each verified backup (MONITOR_BACKUP_HOOK): it takes the generation to another place.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { limits } from '#contract/limits.ts';
import { Semaphore } from '#kernel/http/limiter.ts';
import { childEnv } from '#kernel/process/env.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import { describeCause } from '../../refusals.ts';
import { createStatement, type Statement } from '../../statements.ts';
import { toManifestFile } from './manifest.ts';

/** `endedAt` and `error` are of the last run that has ended. */
export interface HookState {
  running: boolean;
  endedAt: number | null;
  error: string | null;
}

export type Hook = ReturnType<typeof createHook>;

interface Options {
  clock: Clock;
  log: Log;
  /** Null: there is none. */
  program: string | null;
}

/** Characters of what it printed that are shown. */
const maxShown = 500;

/** The program printed nothing; `how` is its exit code or the signal that ended it. */
class SilentExitError extends Error {
  readonly how: string;

  constructor(how: string) {
    super(`it ended with ${how}`);
    this.how = how;
  }
}

/** Disposal ends a run that is under way. */
export function createHook({ clock, log, program }: Options) {
  const state: Omit<HookState, 'error'> & { failure: Statement | null } = {
    running: false,
    endedAt: null,
    failure: null,
  };
  let last: Promise<void> = Promise.resolve();
  const turn = new Semaphore(1);
  const stop = new AbortController();
  const runOnce = async (command: string, file: string) => {
    const late = () =>
      Object.assign(new Error(`it took longer than ${limits.backupHookMs / 60_000} minutes`), { code: 'ETIMEDOUT' });
    state.running = true;
    try {
      await withDeadline(clock, limits.backupHookMs, late, stop.signal, (signal) => runProgram(command, file, signal));
      state.failure = null;
      log.info({ file: path.basename(file) }, 'the backup hook has ended');
    } catch (error) {
      if (stop.signal.aborted) {
        log.warn({}, `the stop of the hub ended ${command} for ${file}: run it by hand with this file`);
      } else {
        const name = path.basename(file);
        const about =
          error instanceof SilentExitError ? { detail: error.message, ended: error.how } : describeCause(error);
        const sentence = `the backup hook ${command} failed for ${name} (${about.detail}): run it by hand with this file, and mend it`;
        state.failure = createStatement('backup_hook_failed', sentence, { command, file: name, ...about });
        log.error({ err: error }, sentence);
      }
    } finally {
      Object.assign(state, { running: false, endedAt: clock.now() });
    }
  };
  return {
    /** Runs the program with the paths of the generation and its manifest, after earlier runs. */
    run(file: string) {
      if (program !== null) {
        last = turn.use(async () => {
          if (!stop.signal.aborted) {
            await runOnce(program, file);
          }
        });
      }
    },
    state(): HookState | null {
      const { running, endedAt, failure } = state;
      return program === null ? null : { running, endedAt, error: failure?.sentence ?? null };
    },
    /** Why the last run failed; null when it did not. */
    warning: () => state.failure,
    settled: () => last,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the hub is stopping'));
      await last;
    },
  };
}

/** Runs the program with PATH and HOME only: other variables of the hub may hold secrets. */
function runProgram(command: string, file: string, signal: AbortSignal): Promise<void> {
  const { PATH, HOME } = childEnv();
  const env = { ...(PATH ? { PATH } : {}), ...(HOME ? { HOME } : {}), LC_ALL: 'C' };
  return new Promise((resolve, reject) => {
    execFile(command, [file, toManifestFile(file)], { env, signal, maxBuffer: 10_485_760 }, (error, stdout, stderr) => {
      if (error === null) {
        resolve();
        return;
      }
      const said = (stderr.trim() || stdout.trim()).slice(-maxShown);
      const how = error.signal ?? (typeof error.code === 'number' ? String(error.code) : null);
      reject(
        said === '' && how !== null
          ? new SilentExitError(how)
          : new Error(said || `it could not be started (${error.code})`, { cause: error }),
      );
    });
  });
}
