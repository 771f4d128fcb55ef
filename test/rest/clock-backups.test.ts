// Scheduled backups after a clock that was ahead: a generation of a later time is not the newest one.
import path from 'node:path';
import { expect, test } from 'vitest';
import { readInventory } from '#hub/base/storage/backup/inventory.ts';
import { type Lab, startLab } from '../support/lab.ts';

const minute = 60_000;
const day = 86_400_000;

const names = (lab: Lab<never>) => readInventory(path.join(lab.dataDir, 'backups')).map(({ name }) => name);

async function pass(lab: Lab<never>, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) {
    await lab.advance(minute);
  }
}

test('a generation of a clock that was ahead neither has backups made every minute nor outlives right ones', async () => {
  await using lab = await startLab({ hub: { scheduledBackups: true } });
  await lab.as.admin.backup.config({ body: { maxGenerations: 3, intervalHours: 24, autoPrune: true } });
  const right = lab.clock.now();
  await pass(lab, 2);
  const [first] = names(lab);
  lab.clock.put(right + 30 * day);
  await pass(lab, 2);
  const ahead = names(lab).filter((name) => name !== first);
  expect(ahead).toHaveLength(1);
  lab.clock.put(right + 4 * minute);
  await pass(lab, 8);
  expect(names(lab).sort()).toEqual([first, ...ahead].sort());
  for (let days = 0; days < 2; days += 1) {
    await lab.skip(day);
    await pass(lab, 2);
  }
  const left = names(lab);
  expect(left).toHaveLength(3);
  expect(left).not.toEqual(expect.arrayContaining(ahead));
  expect(left).toContain(first);
});
