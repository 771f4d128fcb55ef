// Where the temporary files of tests lie: in memory where there is room, as what they ask of a disk is not what they test.
import { accessSync, constants, statfsSync } from 'node:fs';

const folder = '/dev/shm';
const neededBytes = 2 ** 31;

/** Variables of the test processes; none where there is no such folder, or no room in it: then a disk serves. */
export function temporaryFilesInMemory(): Record<string, string> {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= neededBytes ? { TMPDIR: folder } : {};
  } catch {
    return {};
  }
}
