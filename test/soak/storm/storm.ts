// Two minutes of virtual time in which everything happens at once; afterwards the hub must be as its answers said.
import { systemClock } from '#kernel/time/clock.ts';
import { pickWeighted } from '../chance.ts';
import { toStack } from '../verdict.ts';
import * as accounts from './account-actions.ts';
import * as devices from './device-actions.ts';
import { problemsAfter } from './invariants.ts';
import * as routers from './router-actions.ts';
import { saveSettings } from './settings-actions.ts';
import { pollIntervalMs, startWorld, type World } from './world.ts';

const lengthMs = 120_000;
const stepMs = 2000;

export interface StormReport {
  seed: number;
  /** Calls and incidents that were started. */
  actions: number;
  restarts: number;
  /** Refused writes of files that were met, by kind. */
  refused: Record<string, number>;
  /** What was not as it must be; empty after a good storm. */
  problems: string[];
}

interface Action {
  /** How often it happens, against the others. */
  weight: number;
  run(world: World): Promise<void>;
}

const tables = ['audit_event', 'flow', 'device', 'detection', 'session', 'merge_candidate', 'api_identity'] as const;

const actions: readonly Action[] = [
  { weight: 6, run: routers.addRouter },
  { weight: 10, run: routers.editRouter },
  { weight: 6, run: routers.editRouterTwice },
  { weight: 2, run: routers.removeRouter },
  { weight: 4, run: routers.misbehave },
  { weight: 5, run: routers.setUpMesh },
  { weight: 10, run: saveSettings },
  { weight: 7, run: accounts.logIn },
  { weight: 2, run: accounts.logInWrongly },
  { weight: 2, run: accounts.logOut },
  { weight: 1, run: accounts.revokeSessions },
  { weight: 3, run: accounts.changePassword },
  { weight: 3, run: accounts.makeIdentity },
  { weight: 2, run: accounts.revokeIdentity },
  { weight: 6, run: devices.writeNote },
  { weight: 4, run: devices.archive },
  { weight: 4, run: devices.merge },
  { weight: 8, run: devices.read },
  { weight: 2, run: devices.watchEvents },
  { weight: 3, run: refuseFiles },
  { weight: 3, run: holdDatabase },
  { weight: 2, run: ({ refusals, pick }) => refusals.refuseRows(pick(tables)) },
  { weight: 3, run: ({ refusals }) => refusals.acceptRows() },
];

/** The same seed asks for the same things in the same order; what happens at once is decided by the machine. */
export async function runStorm(seed: number): Promise<StormReport> {
  await using world = await startWorld(seed);
  const count = { actions: 0, restarts: 0 };
  try {
    await blow(world, count);
    await world.refusals.calm();
    await world.finish();
    world.problems.push(...(await problemsAfter(world)));
  } catch (error) {
    world.problems.push(`the storm could not go on: ${toStack(error)}`);
  }
  return { seed, ...count, refused: { ...world.refusals.met }, problems: world.problems };
}

async function blow(world: World, count: { actions: number; restarts: number }): Promise<void> {
  const { clock } = world.lab;
  // Something to do it to.
  await routers.addRouter(world);
  await routers.addRouter(world);
  await clock.advance(pollIntervalMs);
  for (let passedMs = 0; passedMs < lengthMs; passedMs += stepMs) {
    for (let left = 1 + Math.floor(world.random() * 4); left > 0; left -= 1) {
      const action = pickWeighted(actions, world.random());
      if (action) {
        world.start(action.run.name, action.run(world));
        count.actions += 1;
      }
    }
    await systemClock.sleep(Math.floor(world.random() * 60));
    await clock.advance(stepMs);
    if (world.chance(0.03)) {
      await world.restart();
      count.restarts += 1;
    }
  }
}

/** Short: what waits goes on. Once in a while longer than anybody waits. */
async function holdDatabase({ refusals, chance, random }: World): Promise<void> {
  await refusals.holdDatabase(chance(0.05) ? 6000 : Math.floor(random() * 400));
}

async function refuseFiles({ refusals, pick }: World): Promise<void> {
  const hows = pick([['no-space'], ['short-write'], ['short-write', 'no-space'], ['no-sync'], ['no-rename']] as const);
  for (const how of hows) {
    refusals.refuseFile(how);
  }
}
