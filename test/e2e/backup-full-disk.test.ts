// Backups and restores on a small disk that is nearly full: refused with what to do, or done; the data is what it was.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { contentOf, makeWorld, startOn } from '../support/backup-faults.ts';
import { smallDisk, withSmallDisk } from '../support/small-disk.ts';

let cases = 0;
afterAll(() => console.log(`backup faults of full disks: ${cases} cases`));

/** Free room in KB: from none to more than enough for one copy, but not for two. */
const rooms = [0, 64, 1024, 8192, 8600, 9000, 9400];

withSmallDisk(() => {
  test.each(rooms)('with %i KB free a backup, a restore and an upload are done or refused', async (roomKb) => {
    const world = await makeWorld();
    using disk = smallDisk(14_000);
    await using hub = await startOn(world, path.join(disk.path, 'data'));
    const { dataDir, file } = hub;
    disk.fill(roomKb);
    const names = () => readdirSync(path.join(dataDir, 'backups')).sort();
    const json = { 'content-type': 'application/json' };
    const post = (route: string, body: string | Buffer, headers: Record<string, string> = json) =>
      hub.as.raw({ method: 'POST', path: `/api/backup/${route}`, headers, body });
    const good = readFileSync(path.join(dataDir, 'backups', world.name));
    const steps: [what: string, run: () => ReturnType<typeof post>][] = [
      ['create', () => post('create', '{}')],
      ['restore', () => post('restore', JSON.stringify({ name: world.name }))],
      ['upload', () => post('upload', good, {})],
    ];
    for (const [what, run] of steps) {
      const [before, listed] = [contentOf(file), names()];
      const { status, body } = await run();
      cases += 1;
      if (status !== 200) {
        expect([what, roomKb, status, body]).toMatchObject([
          what,
          roomKb,
          500,
          { error: expect.stringMatching(/room|full/) },
        ]);
        expect(contentOf(file)).toBe(before);
        expect(names()).toEqual(listed);
      } else if (what !== 'create') {
        expect(contentOf(file)).toBe(world.new);
      }
      const left = readdirSync(dataDir).filter((name) => /incoming|former|upload|restore\.json/.test(name));
      expect([what, left]).toEqual([what, []]);
    }
    disk.empty();
    expect((await post('create', '{}')).status).toBe(200);
    rmSync(world.folder, { recursive: true });
  });
});
