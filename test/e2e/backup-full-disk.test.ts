// Backups and restores on a small disk that is nearly full: refused with what to do, or done; the data is what it was.
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  contentAsIn,
  contentOf,
  copyWorld,
  makeWorld,
  olderDatabase,
  openFolder,
  type Side,
  served,
  startOn,
} from '../support/backup-faults.ts';
import { smallDisk } from '../support/mounted-disk.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let cases = 0;
afterAll(() => console.log(`backup faults of full disks: ${cases} cases`));

/** Free room in KB: from none to more than enough for one copy, but not for two. */
const rooms = [0, 64, 1024, 8192, 8600, 9000, 9400];
const startRooms = [0, 64, 1024, 8192, 8600, 9000, 9400, 10_500];
const outcomes = new Set<string>();

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

  test.each(startRooms)(
    'with %i KB free a start migrates, or recovers damage, or says what it needs',
    async (roomKb) => {
      const world = await makeWorld();
      using scratch = temporaryFolder();
      const older = olderDatabase(world, scratch.path);
      const readOlder = contentAsIn(older);
      using disk = smallDisk(14_000);
      const dataDir = path.join(disk.path, 'data');
      const file = path.join(dataDir, 'monitor.db');
      const starts: [what: string, side: Side, prepare: () => void][] = [
        ['migration', 'old', () => cpSync(older, file)],
        ['damage', 'new', () => truncateSync(file, 40_960)],
      ];
      for (const [what, side, prepare] of starts) {
        copyWorld(world, dataDir);
        prepare();
        const [before, listed] = [readFileSync(file), readdirSync(dataDir).sort()];
        disk.fill(roomKb);
        cases += 1;
        const hub = await openFolder(world, dataDir).catch((error: unknown) => {
          expect([what, roomKb, String(error)]).toEqual([what, roomKb, expect.stringMatching(/room|full/)]);
          expect(readFileSync(file).equals(before)).toBe(true);
          expect(readdirSync(dataDir).sort()).toEqual(listed);
          return null;
        });
        await hub?.[Symbol.asyncDispose]();
        disk.empty();
        const read = what === 'migration' ? readOlder : undefined;
        expect([what, roomKb, (await served(world, dataDir, read)).side]).toEqual([what, roomKb, side]);
        outcomes.add(`${what} ${hub === null ? 'refused' : 'done'}`);
      }
      rmSync(world.folder, { recursive: true });
    },
  );

  test('each of them was refused by one disk and done on another', () => {
    expect([...outcomes].sort()).toEqual(['damage done', 'damage refused', 'migration done', 'migration refused']);
  });
});
