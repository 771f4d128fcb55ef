// What each file of backup faults begins with: a world, a folder, and the count of its cases, which is printed at its end.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll } from 'vitest';
import { faultFolder, makeWorld, type World } from './backup-faults.ts';

export interface FaultScene {
  world: World;
  folder: string;
  /** The generation, and the database that is newer. */
  good: Buffer;
  whole: Buffer;
  count(what: string): void;
}

/** Filled before the tests of the file. `what` names its faults. */
export function faultScene(what: string): FaultScene {
  const cases: Record<string, number> = {};
  const scene: FaultScene = {
    world: { folder: '', name: '', adminToken: '', new: '', totals: { old: 0, new: 0 } },
    folder: '',
    good: Buffer.alloc(0),
    whole: Buffer.alloc(0),
    count(kind) {
      cases[kind] = (cases[kind] ?? 0) + 1;
    },
  };
  beforeAll(async () => {
    const world = await makeWorld();
    const good = readFileSync(path.join(world.folder, 'backups', world.name));
    const whole = readFileSync(path.join(world.folder, 'monitor.db'));
    Object.assign(scene, { world, good, whole, folder: faultFolder('backup-faults') });
    return () => {
      const sum = Object.values(cases).reduce((all, one) => all + one, 0);
      console.log(`backup faults ${what}: ${sum} cases (${JSON.stringify(cases)})`);
      for (const folder of [scene.folder, world.folder]) {
        rmSync(folder, { recursive: true, force: true });
      }
    };
  });
  return scene;
}
