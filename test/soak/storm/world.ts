// What a storm blows over: a hub with everything it talks to, its clients, and the model of what it was told.
import path from 'node:path';
import { api } from '#contract/index.ts';
import { AppError } from '#kernel/errors.ts';
import { type Client, ClientError, createClient } from '#kernel/http/client.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type MeshSimulator, startMesh } from '#simulators/mesh/access-point.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { type Lab, startLab } from '../../support/lab.ts';
import { type Chance, createChance } from '../chance.ts';
import type { Ending } from '../register.ts';
import { toStack } from '../verdict.ts';
import { createModel, type Model } from './model.ts';
import { type Refusals, startRefusals } from './refusals.ts';

export type HubClient = Client<typeof api>;

export interface Answer<T> {
  ending: Ending;
  /** Of an acknowledged call. */
  value: T | null;
  status: number | null;
}

export interface World extends AsyncDisposable {
  readonly lab: Lab<never>;
  readonly routers: readonly RouterSimulator[];
  readonly meshes: readonly MeshSimulator[];
  readonly refusals: Refusals;
  readonly model: Model;
  /** What is wrong so far. */
  readonly problems: string[];
  /** 0 ≤ n < 1. */
  random(): number;
  pick<T>(from: readonly T[]): T;
  chance(probability: number): boolean;
  /** A text that was never used before. */
  fresh(prefix: string): string;
  /** One call, which its client may leave; with the admin token unless another credential is given. */
  call<T>(what: string, ask: (client: HubClient) => Promise<T>, token?: string): Promise<Answer<T>>;
  /** As `call`, by a client that waits for the answer. */
  patientCall<T>(what: string, ask: (client: HubClient) => Promise<T>, token?: string): Promise<Answer<T>>;
  /** Runs `work` without waiting for it. */
  start(what: string, work: Promise<void>): void;
  /** Waits for what was started, while virtual time runs on. */
  finish(): Promise<void>;
  restart(): Promise<void>;
}

export const pollIntervalMs = 10_000;
const sessionsAtOnce = 40;

/** Refusals that a hub may give while the world refuses it something; anything else of 500 and above is a problem. */
const expectedFailures = new Set([
  ...['save_failed', 'database_busy', 'busy', 'not_ready', 'auth_not_initialised'],
  ...['upstream_failed', 'too_many_streams'],
]);

export async function startWorld(seed: number): Promise<World> {
  const chance = createChance(seed);
  const opened = new AsyncDisposableStack();
  try {
    const lab = opened.use(
      await startLab({
        hub: {
          pollIntervalMs,
          scheduledBackups: true,
          logPathPrefixes: ['/tmp'],
          chatApiUrl: new URL('http://127.0.0.1:9/'),
        },
      }),
    );
    const { clock } = lab;
    const routers: RouterSimulator[] = [];
    for (const [index, kind] of (['vendor_a', 'vendor_b', 'vendor_a', 'vendor_b'] as const).entries()) {
      const limits = { sessionLimit: sessionsAtOnce, allowedSessions: sessionsAtOnce };
      const traffic = { sessions: 20, traffic: true };
      const simulator = await startRouter(kind, { clock, seed: index + 1, ...traffic, ...limits });
      routers.push(opened.use(simulator));
    }
    const meshes = [opened.use(await startMesh({ clock, seed: 1 })), opened.use(await startMesh({ clock, seed: 2 }))];
    const refusals = opened.use(startRefusals(lab.dataDir, path.join(lab.dataDir, 'monitor.db')));
    return createWorld({ chance, opened, lab, routers, meshes, refusals });
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

interface Parts {
  chance: Chance;
  opened: AsyncDisposableStack;
  lab: Lab<never>;
  routers: RouterSimulator[];
  meshes: MeshSimulator[];
  refusals: Refusals;
}

function createWorld({ chance, opened, lab, routers, meshes, refusals }: Parts): World {
  const problems: string[] = [];
  /** What is under way, by name. */
  const running = new Map<Promise<void>, string>();
  const model = createModel(lab.password);
  let names = 0;
  let restarting: Promise<void> | null = null;

  const call = async <T>(
    what: string,
    ask: (client: HubClient) => Promise<T>,
    token: string,
    signal: AbortSignal,
  ): Promise<Answer<T>> => {
    const headers = { 'x-admin-token': token };
    const mark = refusals.mark();
    const client = createClient(api, { baseUrl: lab.url, headers, around: (_, send) => send(signal) });
    try {
      return { ending: 'acknowledged', value: await ask(client), status: 200 };
    } catch (error) {
      if (!(error instanceof ClientError)) {
        // Left by its client, or cut off by a restart.
        return { ending: 'unknown', value: null, status: null };
      }
      const isRefusedRow = error.code === 'internal' && refusals.rowsRefusedSince(mark);
      if (error.status >= 500 && !expectedFailures.has(error.code) && !isRefusedRow) {
        problems.push(`${what} was answered ${error.status} ${error.code}: ${error.message}`);
      }
      return { ending: 'refused', value: null, status: error.status };
    }
  };
  /** As a service manager does it: a start that was refused because another program holds the database is tried again. */
  const restart = async () => {
    try {
      await lab.restart();
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'database_busy')) {
        throw error;
      }
      await refusals.released();
      await lab.restart();
    }
  };
  const world: World = {
    lab,
    routers,
    meshes,
    refusals,
    model,
    problems,
    random: chance.next,
    pick: chance.pick,
    chance: chance.happens,
    fresh: (prefix) => `${prefix} ${++names}`,
    async call(what, ask, token = lab.adminToken) {
      const leaving = new AbortController();
      const leavesAfterMs = chance.happens(0.15) ? Math.floor(chance.next() * 20) : null;
      if (leavesAfterMs !== null) {
        world.start(
          'a client that leaves',
          systemClock.sleep(leavesAfterMs).then(() => leaving.abort(new Error('the client left'))),
        );
      }
      return call(what, ask, token, leaving.signal);
    },
    patientCall: (what, ask, token = lab.adminToken) => call(what, ask, token, new AbortController().signal),
    start(what, work) {
      const entry: Promise<void> = work
        .catch((error: unknown) => {
          problems.push(`the storm itself failed: ${toStack(error)}`);
        })
        .finally(() => running.delete(entry));
      running.set(entry, what);
    },
    async finish() {
      while (running.size > 0) {
        await runOn(lab, Promise.all(running.keys()), () => [...running.values()].join(', '));
      }
    },
    async restart() {
      restarting ??= runOn(lab, restart(), () => 'a restart').finally(() => {
        restarting = null;
      });
      await restarting;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  return world;
}

/** Waits for `work`, with a second of virtual time for every 40 ms of real time that it takes, an hour at most. */
async function runOn(lab: Lab<never>, work: Promise<unknown>, what: () => string): Promise<void> {
  const over = work.then(() => true);
  for (let seconds = 0; !(await Promise.race([over, systemClock.sleep(40).then(() => false)])); seconds += 1) {
    if (seconds === 3600) {
      throw new Error(`an hour of virtual time was not enough for ${what()}`);
    }
    await lab.clock.advance(1000);
  }
}
