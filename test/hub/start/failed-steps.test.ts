// Steps of a start are made to fail in turn: nothing that the steps before it opened is left.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import type { HubOptions } from '#hub/base/config.ts';
import { startReaderPools } from '#hub/base/readers/pools.ts';
import { openDataFolder } from '#hub/base/storage/data-folder.ts';
import { createLifecycle, openBase, startFeatures } from '#hub/start/features.ts';
import { startHub } from '#hub/start/hub.ts';
import { createLog } from '#kernel/process/log.ts';
import { startRouter } from '#simulators/router/start.ts';
import { createActors } from '../../support/actors.ts';
import { writeEnrichment } from '../../support/enrichment-files.ts';
import { pollIntervalMs, recordOf } from '../../support/lab.ts';
import { watchLeaks } from '../../support/leak-guard.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { runs } from '../../support/property-runs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** `target`, of which the use number `failing` throws, as long as `until` is not aborted. */
function failingAt<T extends object>(target: T, failing: number, until: AbortSignal): { proxy: T; uses: () => number } {
  const state = { uses: 0 };
  const proxy = new Proxy(target, {
    get(from, name) {
      if (!until.aborted) {
        state.uses += 1;
        if (state.uses === failing) {
          throw new Error(`step ${failing} fails`);
        }
      }
      const value: unknown = Reflect.get(from, name);
      return typeof value === 'function' ? value.bind(from) : value;
    },
  });
  return { proxy, uses: () => state.uses };
}

type Options = Omit<HubOptions, 'clock'>;

/** A data folder with one router and a chat workspace, as another start left it. */
async function preparedFolder() {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const router = stack.use(await startRouter('vendor_b', { sessions: 5 }));
  const options: Options = {
    dataDir: folder.path,
    host: '127.0.0.1',
    port: 0,
    version: '1',
    log: createLog('hub', 'silent'),
    pollIntervalMs,
    allowLoopbackRouters: true,
    routerSettleMs: 20,
    threatFeeds: false,
    passwordCost: { log2N: 10, r: 8, p: 1 },
    initialAdminToken: randomBytes(24).toString('hex'),
    enrichmentDir: writeEnrichment(folder.path),
  };
  await using hub = await startHub({ ...options, clock: new ManualClock() });
  const { admin } = createActors(api, hub.url, options.initialAdminToken ?? '');
  await admin.routers.create({ body: recordOf(router, 'one') });
  await admin.config.saveLookups({ body: { ptr: { enabled: true } } });
  await hub.settled();
  return { options, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

type Attempt = (options: HubOptions, failing: <T extends object>(target: T) => T) => Promise<AsyncDisposable>;

/** Starts the hub; each use of its options fails in turn. */
const wholeStart: Attempt = (options, failing) => startHub(failing(options));

/** Starts the features as the hub does; each use of what they all get fails in turn. */
const startOfFeatures: Attempt = async (options, failing) => {
  const lifecycle = createLifecycle();
  const hub = {
    async [Symbol.asyncDispose]() {
      await lifecycle.inputs.disposeAsync();
      await lifecycle.opened.disposeAsync();
    },
  };
  try {
    const folder = lifecycle.opened.use(openDataFolder(options));
    const readers = lifecycle.opened.use(startReaderPools(folder.databaseFile, false));
    const base = failing(openBase(options, { folder, hasData: true }, readers, lifecycle));
    const replace = () => Promise.reject(new Error('nothing is replaced here'));
    await startFeatures(base, { url: new URL('http://127.0.0.1:1'), replace }, lifecycle);
    return hub;
  } catch (error) {
    await hub[Symbol.asyncDispose]();
    throw error;
  }
};

/** One step of so many is made to fail. */
const stride = runs(4, 1);

/** Resolves to how many steps there are before a start does not fail. */
async function failEach(attempt: Attempt, options: Options): Promise<number> {
  for (let step = 1; ; step += stride) {
    const clock = new ManualClock();
    await using _left = watchLeaks({ clock });
    const started = new AbortController();
    const uses: (() => number)[] = [];
    const failing = <T extends object>(target: T) => {
      const made = failingAt(target, step, started.signal);
      uses.push(made.uses);
      return made.proxy;
    };
    const outcome = await attempt({ ...options, clock }, failing).then(
      (hub) => ({ hub }),
      (error: unknown) => ({ error }),
    );
    started.abort();
    if ('hub' in outcome) {
      await outcome.hub[Symbol.asyncDispose]();
      const steps = uses[0]?.() ?? 0;
      expect(steps).toBeGreaterThan(step - 1 - stride);
      return steps;
    }
    expect(outcome.error).toMatchObject({ message: `step ${step} fails` });
  }
}

test.each([
  ['the options of the hub', wholeStart, 40],
  ['what features get', startOfFeatures, 40],
])('whichever use of %s fails, no socket, timer or thread is left', async (_name, attempt, least) => {
  await using folder = await preparedFolder();
  expect(await failEach(attempt, folder.options)).toBeGreaterThan(least);
});
