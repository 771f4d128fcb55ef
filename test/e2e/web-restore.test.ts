// A backup that was downloaded is restored from its file in a real browser, and what is no backup changes nothing.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { failFiles } from '../support/failing-files.ts';
import type { Lab } from '../support/lab.ts';
import { openAt, startWebLab, withChromium } from '../support/web-lab.ts';

const device = '192.168.100.23';

const notes = async (lab: Lab<never>) => Object.values((await lab.as.admin.notes.list({})).notes);

/** Opens the backups of a hub that has one backup with a note, which was changed then. `backup` is that of the browser. */
async function openBackups() {
  const start = async () => {
    const lab = await startWebLab();
    await lab.as.admin.notes.write({ body: { ip: device, note: 'of then' } });
    const { name } = await lab.as.admin.backup.create({ body: {} });
    await lab.as.admin.notes.write({ body: { ip: device, note: 'of now' } });
    const buffer = readFileSync(path.join(lab.dataDir, 'backups', name));
    return Object.assign(lab, { backup: { name, buffer, mimeType: 'application/octet-stream' } });
  };
  return openAt(start(), '/settings?section=backups');
}

withChromium(() => {
  test('a file is verified, described, and restored after a short word; its result is kept on the page', async () => {
    await using site = await openBackups();
    const { lab, page } = site;
    const { backup } = lab;
    const card = page.getByRole('region', { name: 'Restore from a file' });
    await card.getByLabel('Backup file').setInputFiles(backup);
    const found = card.getByRole('status', { name: 'Found in the file' });
    await found.getByText('yes, the file is whole').waitFor();
    const { schemaVersion } = await lab.as.admin.status.status({});
    await found.getByText(`${schemaVersion}, as in this hub`).waitFor();
    expect(await found.textContent()).toMatch(/Made(?!.*last changed)/);
    expect(await notes(lab)).toEqual(['of now']);
    await found.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog', { name: /^Restore the backup of / });
    const restore = dialog.getByRole('button', { name: 'Restore' });
    expect(await restore.isDisabled()).toBe(true);
    await dialog.getByLabel('Type restore to confirm').fill('restore');
    await restore.click();
    await page.getByText(/^Restored the backup of .+\. The previous state was saved as monitor_\S+\.db\.$/).waitFor();
    expect(await notes(lab)).toEqual(['of then']);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Password').waitFor();
  });

  test('what is no backup, is damaged, too large or newer is refused in a sentence, and nothing changes', async () => {
    await using site = await openBackups();
    const { lab, browser, page } = site;
    const { backup } = lab;
    const card = page.getByRole('region', { name: 'Restore from a file' });
    const field = card.getByLabel('Backup file');
    const refused = (words: RegExp) => card.getByRole('alert').filter({ hasText: words }).waitFor();
    await field.setInputFiles({ ...backup, buffer: Buffer.from('x'.repeat(5000)) });
    await refused(/is not a backup of Gatehouse.*Nothing was changed\.$/);
    const newer = Buffer.from(backup.buffer);
    newer.writeUInt32BE(9999, 60);
    await field.setInputFiles({ ...backup, buffer: newer });
    await refused(/version 9999 of the database, and this hub has \d+\. Update the hub first\. Nothing was changed\.$/);
    await browser.expecting(/400/, async () => {
      await field.setInputFiles({ ...backup, buffer: backup.buffer.subarray(0, backup.buffer.length - 4096) });
      await refused(/damaged or not whole\. Download it again, or choose another one\. Nothing was changed\.$/);
    });
    {
      using _full = failFiles(lab.dataDir, { at: 1, error: 'ENOSPC', count: Number.POSITIVE_INFINITY });
      await browser.expecting(/500/, async () => {
        await field.setInputFiles(backup);
        await refused(/The disk of the hub has too little space\. Make room on it.*Nothing was changed\.$/);
      });
    }
    await browser.withoutAnswer('**/api/backup/check', async () => {
      await field.setInputFiles(backup);
      await refused(/connection to the hub was lost.*Nothing was changed\.$/);
    });
    // The size is told by the browser before anything is sent.
    await page.evaluate("Object.defineProperty(File.prototype, 'size', { get: () => 104857601 })");
    await field.setInputFiles(backup);
    await refused(/larger than 104\.9 MB\. Restore it on the computer of the hub/);
    expect(await notes(lab)).toEqual(['of now']);
    expect(readdirSync(lab.dataDir).filter((name) => /upload|incoming/.test(name))).toEqual([]);
  });

  test('until a restore has answered, its end is open and the page says so; a lost connection leaves it open', async () => {
    await using site = await openBackups();
    const { browser, page } = site;
    await page.getByRole('region', { name: 'Backups' }).getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog', { name: /^Restore the backup of / });
    await dialog.getByLabel('Type restore to confirm').fill('restore');
    const held = Promise.withResolvers<void>();
    await page.route('**/api/backup/restore', async (route) => {
      await held.promise;
      await route.abort('internetdisconnected');
    });
    await browser.expecting(/ERR_INTERNET_DISCONNECTED/, async () => {
      await dialog.getByRole('button', { name: 'Restore' }).click();
      await dialog.getByText('The hub restores the backup. Please wait: this can no longer be cancelled.').waitFor();
      expect(await dialog.getByRole('progressbar', { name: 'Restore' }).getAttribute('value')).toBeNull();
      expect(await dialog.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
      held.resolve();
      await dialog.getByText(/The connection was lost during the restore\./).waitFor();
    });
    await page.unroute('**/api/backup/restore');
  });

  test('while the file is sent, the check can be cancelled; Japanese has its own word', async () => {
    await using site = await openBackups();
    const { lab, page } = site;
    const { backup } = lab;
    await page.evaluate("localStorage.setItem('gatehouse.language', 'ja')");
    await page.reload();
    const card = page.getByRole('region', { name: 'ファイルから復元' });
    const held = Promise.withResolvers<void>();
    await page.route('**/api/backup/check', async (route) => {
      await held.promise;
      await route.abort().catch(() => undefined);
    });
    await card.getByLabel('バックアップのファイル').setInputFiles(backup);
    await card.getByRole('progressbar', { name: 'ファイルの検証' }).waitFor();
    await card.getByRole('button', { name: 'キャンセル' }).click();
    await card.getByRole('progressbar').waitFor({ state: 'detached' });
    held.resolve();
    await page.unroute('**/api/backup/check');
    await card.getByLabel('バックアップのファイル').setInputFiles(backup);
    await card.getByRole('button', { name: '復元' }).click();
    await page.getByRole('dialog').getByLabel('確認のため「復元」と入力してください').fill('復元');
    await page.getByRole('dialog').getByRole('button', { name: '復元' }).click();
    await page.getByText(/のバックアップを復元しました。以前の状態は monitor_\S+\.db として保存しました。$/).waitFor();
    expect(await notes(lab)).toEqual(['of then']);
  });
});
