// The hub through its lives: one address, one data folder, killed and started again; and when it owes an answer.
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Api, api } from '#contract/index.ts';
import { type Client, createClient } from '#kernel/http/client.ts';
import { freePort } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type HubProcess, mainThreadMs, startHubProcess } from '../../support/hub-process.ts';
import { root } from '../../support/program.ts';
import { allocator } from './allocator.ts';
import { createLineReader } from './lines.ts';
import { type Memory, parseMemory } from './memory.ts';

export interface HubLives extends AsyncDisposable {
  readonly url: URL;
  readonly dataDir: string;
  /** With the admin token. */
  readonly admin: Client<Api>;
  readonly adminToken: string;
  /** From 1 on. */
  readonly life: number;
  /** Why it owes no answer now; null when it does. */
  absence(): string | null;
  /** Since when it owes answers without a break; epoch milliseconds. */
  presentSince(): number;
  /** Whether it owes answers without a break since `since`; asked after a failure, it waits for what may have caused that. */
  stillOwes(since: number): Promise<boolean>;
  /** Runs `work`, while the hub owes no answer. */
  away<T>(why: string, work: () => Promise<T>): Promise<T>;
  kill(): Promise<void>;
  /** Resolves when it says that it is ready. */
  start(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** How far its clock is off, from now on. */
  setClock(offsetMs: number): void;
  readonly clockOffsetMs: number;
  /** Collects garbage and says, some seconds later, what it holds, in MiB; null when it did not within 10 s. */
  memory(): Promise<Memory | null>;
  descriptors(): number | null;
  /** How long its main thread was ready to run and had no core, in this life, milliseconds; 0 while it does not run. */
  coreWaitMs(): number;
  /** How it ended, when nobody ended it; null while it runs. */
  readonly unasked: string | null;
}

export interface HubOptions {
  folder: string;
  adminToken: string;
  env: Record<string, string>;
}

/**
 * The hub of a soak ages ten times as fast: V8 optimizes a function after a tenth of the calls, as its code would be for hours
 * on the way to its bound otherwise; and its nursery has its full size at once.
 */
const aged = [
  '--max-semi-space-size=4',
  '--no-wasm-code-gc',
  '--min-semi-space-size=4',
  '--invocation-count-for-feedback-allocation=1',
  '--invocation-count-for-maglev=40',
  '--invocation-count-for-turbofan=300',
  '--minimum-invocations-after-ic-update=50',
];

export async function startHubLives({ folder, adminToken, env }: HubOptions): Promise<HubLives> {
  const dataDir = path.join(folder, 'data');
  const port = await freePort();
  const url = new URL(`http://127.0.0.1:${port}`);
  const absences = new Set<string>();
  const state = { life: 0, presentSince: systemClock.now(), offsetMs: 0, unasked: null as string | null };
  let current: HubProcess | null = null;
  let reports = createLineReader(() => '');

  const begin = async () => {
    const hub = await startHubProcess({
      dataDir,
      adminToken,
      port,
      env: { ...allocator().env, ...env },
      isMeasured: true,
      command: 'test/soak/hub-program.ts',
      nodeOptions: [...aged, '--expose-gc', '--import', path.join(root, 'test/support/report-memory.ts')],
    });
    state.life += 1;
    current = hub;
    reports = createLineReader(hub.program.stderr);
    state.presentSince = systemClock.now();
    void hub.program.ended.then(({ code, signal }) => {
      if (current === hub) {
        current = null;
        state.unasked = `the hub ended by itself with ${signal ?? code}: ${hub.program.stderr().slice(-2000)}`;
      }
    });
  };
  await begin();
  return {
    url,
    dataDir,
    adminToken,
    admin: createClient(api, { baseUrl: url, headers: { 'x-admin-token': adminToken } }),
    get life() {
      return state.life;
    },
    get unasked() {
      return state.unasked;
    },
    get clockOffsetMs() {
      return state.offsetMs;
    },
    absence: () => (current === null ? 'it does not run' : ([...absences][0] ?? null)),
    presentSince: () => state.presentSince,
    async stillOwes(since) {
      // That a program has ended is heard a little later than that it does not answer.
      await systemClock.sleep(300);
      return current !== null && absences.size === 0 && state.presentSince === since;
    },
    async away(why, work) {
      absences.add(why);
      try {
        return await work();
      } finally {
        absences.delete(why);
        state.presentSince = systemClock.now();
      }
    },
    async kill() {
      const hub = current;
      current = null;
      hub?.program.kill('SIGKILL');
      await hub?.program.ended;
    },
    start: begin,
    signal: (name) => current?.program.kill(name),
    setClock(offsetMs) {
      state.offsetMs = offsetMs;
      writeFileSync(path.join(folder, 'clock-offset'), String(offsetMs));
      current?.program.kill('SIGHUP');
    },
    async memory() {
      const hub = current;
      reports.take();
      let heard = '';
      hub?.program.kill('SIGUSR2');
      for (let looks = 0; looks < 100; looks += 1) {
        await systemClock.sleep(100);
        heard += reports.take().join('\n');
        const memory = parseMemory(heard);
        if (memory !== null) {
          return memory;
        }
        if (current !== hub) {
          return null;
        }
      }
      return null;
    },
    descriptors() {
      try {
        return current === null ? null : readdirSync(`/proc/${current.program.pid}/fd`).length;
      } catch {
        // It has just ended.
        return null;
      }
    },
    coreWaitMs() {
      try {
        return current === null ? 0 : mainThreadMs(current.program.pid).waited;
      } catch {
        // It has just ended.
        return 0;
      }
    },
    async [Symbol.asyncDispose]() {
      const hub = current;
      current = null;
      hub?.program.kill('SIGCONT');
      await hub?.[Symbol.asyncDispose]();
    },
  };
}
