// The disk and the files of the hub as a feature: free space, damage, what a start found.
import path from 'node:path';
import type { Base, Feature } from '../feature.ts';
import { startDiskSpace } from './disk-space.ts';
import { startFileCheck } from './file-check.ts';

export function startStorageFeature({ clock, log, folder, readers, db }: Base): Feature {
  const stack = new AsyncDisposableStack();
  const file = folder.databaseFile;
  const space = stack.use(startDiskSpace({ clock, log, folder: path.dirname(path.resolve(file)) }));
  const check = stack.use(startFileCheck({ clock, log, file, pool: readers.scans }));
  return {
    async status() {
      const storage = await space.look();
      return { storage, schemaVersion: db.schemaVersion(), warnings: [check.warning(), space.warning()] };
    },
    async notReady() {
      await space.look();
      return space.isFull() ? 'disk_full' : null;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
