// A disk of any size: what the system says of the room on every disk (statfs(2)) is what a test says.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface FakeDisk extends Disposable {
  /** In blocks of `bsize` bytes; an Error is what the system answers. */
  says: { bavail: number; blocks: number; bsize: number } | Error;
}

/** Until it is disposed, `says` is what the system says of each disk of this process. */
export function fakeDisk(says: FakeDisk['says']): FakeDisk {
  const real = { statfsSync: fs.statfsSync, statfs: fs.promises.statfs };
  const put = (statfsSync: unknown, statfs: unknown) => {
    Object.assign(fs, { statfsSync });
    Object.assign(fs.promises, { statfs });
    // Modules that import them by name see the change too.
    syncBuiltinESMExports();
  };
  const disk: FakeDisk = { says, [Symbol.dispose]: () => put(real.statfsSync, real.statfs) };
  const answer = () => {
    if (disk.says instanceof Error) {
      throw disk.says;
    }
    return { bfree: Number.MAX_SAFE_INTEGER, ...disk.says };
  };
  put(answer, async () => answer());
  return disk;
}
