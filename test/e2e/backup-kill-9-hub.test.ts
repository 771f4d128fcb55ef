// A real hub is killed at random moments while it restores a generation: the next one has the old data or the new.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { copyWorld, flowsOf, makeWorld, served } from '../support/backup-faults.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { createRandom } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const rounds = 16;

test(`killed ${rounds} times during a restore by its API`, async () => {
  const world = await makeWorld();
  using folder = temporaryFolder();
  const dataDir = path.join(folder.path, 'data');
  const random = createRandom(9);
  const outcomes: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    copyWorld(world, dataDir);
    const { adminToken } = world;
    await using hub = await startHubProcess({ dataDir, adminToken });
    const answered = hub.as.admin.backup.restore({ body: { name: world.name } }).then(
      () => true,
      () => false,
    );
    await systemClock.sleep(Math.floor(random() * 700));
    hub.program.kill('SIGKILL');
    await hub.program.ended;
    const isAnswered = await answered;
    const { side } = await served(world, dataDir, flowsOf);
    // What was answered is so.
    expect(isAnswered && side === 'old').toBe(false);
    outcomes[side] = (outcomes[side] ?? 0) + 1;
  }
  console.log(`backup faults of a hub that is killed: ${rounds} cases (${JSON.stringify(outcomes)})`);
  expect(Object.keys(outcomes).sort()).toEqual(['new', 'old']);
  rmSync(world.folder, { recursive: true });
});
