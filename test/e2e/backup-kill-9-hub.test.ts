// A real hub is killed at random moments while it restores a generation: the next one has the old data or the new.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import { copyWorld, flowsOf, makeWorld, served, type World } from '../support/backup-faults.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { createRandom } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const rounds = 16;
/** More are made while one of the two outcomes is missing. */
const mostRounds = 60;

test(`killed at least ${rounds} times during a restore by its API`, async () => {
  const world = await makeWorld();
  using folder = temporaryFolder();
  const dataDir = path.join(folder.path, 'data');
  const random = createRandom(9);
  const outcomes: Record<string, number> = {};
  // As long as a restore takes on this machine now.
  const wholeMs = await restoreMs(world, dataDir);
  let round = 0;
  for (; round < rounds || (round < mostRounds && Object.keys(outcomes).length < 2); round += 1) {
    copyWorld(world, dataDir);
    const { adminToken } = world;
    await using hub = await startHubProcess({ dataDir, adminToken });
    const answered = hub.as.admin.backup.restore({ body: { name: world.name } }).then(
      () => true,
      () => false,
    );
    await systemClock.sleep(Math.floor(random() * wholeMs * 1.3));
    hub.program.kill('SIGKILL');
    await hub.program.ended;
    const isAnswered = await answered;
    const { side } = await served(world, dataDir, flowsOf);
    // What was answered is so.
    expect(isAnswered && side === 'old').toBe(false);
    outcomes[side] = (outcomes[side] ?? 0) + 1;
  }
  console.log(`backup faults of a hub that is killed: ${round} cases (${JSON.stringify(outcomes)})`);
  expect(Object.keys(outcomes).sort()).toEqual(['new', 'old']);
  rmSync(world.folder, { recursive: true });
});

async function restoreMs(world: World, dataDir: string): Promise<number> {
  copyWorld(world, dataDir);
  await using hub = await startHubProcess({ dataDir, adminToken: world.adminToken });
  const took = stopwatch();
  await hub.as.admin.backup.restore({ body: { name: world.name } });
  return took();
}
