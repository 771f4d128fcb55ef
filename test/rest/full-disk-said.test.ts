// A disk that fills up while the hub runs: said before it is full, and then wherever a person looks; all well afterwards.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createBrowser } from '../support/actors.ts';
import { startLab } from '../support/lab.ts';
import { smallDisk } from '../support/mounted-disk.ts';
import { withSmallDisk } from '../support/small-disk.ts';

withSmallDisk(() => {
  test('status shows the free space and warns; login and readiness name the full disk', async () => {
    using disk = smallDisk(32_768);
    await using lab = await startLab({ hub: { dataDir: disk.path } });
    const status = () => lab.as.admin.status.status({});
    const ready = () => lab.as.raw({ method: 'GET', path: '/readyz' });
    const login = () => createBrowser(lab.url).login(lab.password);
    const { storage, warnings } = await status();
    expect(storage.totalBytes).toBe(32_768 * 1024);
    const { freeBytes = 0, totalBytes = 0, warnBelowBytes = 0 } = storage as Record<string, number>;
    expect(freeBytes).toBeGreaterThan(20_000_000);
    expect(warnBelowBytes).toBe(Math.floor(totalBytes / 10));
    expect(warnings.join()).not.toMatch(/free|full/);

    writeFileSync(path.join(disk.path, 'some'), Buffer.alloc(freeBytes - 2_000_000));
    const low = await status();
    expect(low.storage.freeBytes).toBeLessThan(warnBelowBytes);
    expect(low.warnings).toContainEqual(
      expect.stringMatching(/^the disk of \S+ has [12]\.\d MB free of 34 MB: make room/),
    );
    expect((await ready()).status).toBe(200);
    expect((await login()).status).toBe(200);

    disk.fill();
    // What SQLite has of its log is written over until it has to grow.
    const answers = [await login()];
    for (let tries = 0; tries < 50 && answers.at(-1)?.status === 200; tries += 1) {
      answers.push(await login());
    }
    expect(answers.at(-1)).toMatchObject({
      status: 500,
      body: { code: 'save_failed', error: expect.stringMatching(/disk is full.*room.*try again/) },
    });
    expect((await ready()).body).toEqual({ status: 'not_ready', reason: 'disk_full' });
    expect((await status()).warnings).toContainEqual(expect.stringMatching(/^the disk of \S+ is full: .*make room/));

    disk.empty();
    expect((await login()).status).toBe(200);
    expect((await ready()).body).toEqual({ status: 'ready' });
    expect((await status()).warnings.join()).not.toMatch(/is full:/);
  });
});
