// The disk and the files of the hub as a feature: free space, damage, what a start found.
import path from 'node:path';
import type { Base, Feature } from '../feature.ts';
import type { Alarm } from './damage/alarm.ts';
import { startSetAsideLook } from './damage/set-aside-look.ts';
import { startDiskSpace } from './disk-space.ts';
import { startFileCheck } from './file-check.ts';
import { describeStorage } from './metrics.ts';

export function startStorageFeature({ clock, log, folder, readers, db }: Base, alarm: Alarm): Feature {
  const stack = new AsyncDisposableStack();
  const file = folder.databaseFile;
  const space = stack.use(startDiskSpace({ clock, log, folder: path.dirname(path.resolve(file)) }));
  const check = stack.use(startFileCheck({ clock, log, file, pool: readers.scans, alarm }));
  const setAside = stack.use(startSetAsideLook({ clock, log, file, alarm }));
  return {
    async status() {
      const storage = await space.look();
      return {
        storage,
        schemaVersion: db.schemaVersion(),
        warnings: [check.warning(), space.warning(), ...setAside.warnings()],
      };
    },
    metrics: async () => describeStorage(await space.look(), file),
    async notReady() {
      await space.look();
      return space.isFull() ? 'disk_full' : check.warning() === null ? null : 'database_damaged';
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
