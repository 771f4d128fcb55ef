// The other sections of the settings in a real browser.
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openAt, openPage, startHousehold, startWebLab, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('threat feeds: a key is refused in words and stays, is stored and never shown; what was off is on', async () => {
    await using site = await openAt(startWebLab(), null);
    const { lab, browser, page } = site;
    const stored = () => lab.as.admin.threat.feedsConfig({});
    await browser.logIn('/settings?section=feeds');
    const card = page.getByRole('region', { name: 'Lists in use' });
    const key = card.getByLabel('API key for abuse.ch');
    await card.getByText('Not saved yet.').waitFor();
    await key.fill('with a blank');
    await browser.expecting(/400/, async () => {
      await card.getByRole('button', { name: 'Save' }).click();
      await card.getByText('Must be printable ASCII').waitFor();
    });
    expect(await key.inputValue()).toBe('with a blank');
    await key.fill('abc123');
    await card.getByLabel('URLhaus', { exact: true }).uncheck();
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Saved. Leave empty').waitFor();
    expect(await key.inputValue()).toBe('');
    expect(await stored()).toMatchObject({
      authKeySet: true,
      feeds: { feed_c2: { enabled: true }, feed_url: { enabled: false } },
    });
    await card.getByLabel('Delete the stored API key').check();
    await card.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Not saved yet.').waitFor();
    expect(await stored()).toMatchObject({ authKeySet: false });
  });

  test('chat: the token is checked, a member is found, a test message arrives', async () => {
    await using site = await openAt(startHousehold(), '/settings?section=chat');
    const { lab, page } = site;
    await page.getByRole('button', { name: 'Check the token' }).click();
    await page.getByText(/^The token belongs to /).waitFor();
    const before = lab.told().length;
    await page.getByRole('button', { name: 'Send a test message' }).click();
    await page.getByText('The test message was delivered.').waitFor();
    expect(lab.told()).toHaveLength(before + 1);
    await page.getByLabel('Minutes until the same device').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect((await lab.as.admin.chat.config({})).config).toMatchObject({ cooldownMinutes: 5, tokenSet: true });
  });

  test('general: a check says what to do about an open folder, and the diagnostics are a file', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=general');
    const { lab, page } = site;
    chmodSync(lab.dataDir, 0o777);
    const card = page.getByRole('region', { name: 'Check this hub' });
    const download = page.waitForEvent('download');
    await card.getByRole('button', { name: 'Download diagnostics' }).click();
    expect((await download).suggestedFilename()).toBe('gatehouse-diagnostics.json');
    await card.getByText('Give the folder mode 0700').waitFor();
  });

  test('general: how long connections are stored is saved, a wrong country is not', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=general');
    const { lab, browser, page } = site;
    await page.getByLabel('Connections are stored for').selectOption('90');
    await page.getByLabel('Home country').fill('xx');
    await browser.expecting(/400/, async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Must be a country code').waitFor();
    });
    expect(await page.getByLabel('Home country').inputValue()).toBe('xx');
    await page.getByLabel('Home country').fill('de');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await lab.as.admin.config.general({})).toMatchObject({ retentionDays: 90, homeCountry: 'DE' });
    await page.getByText(/^The database has \d[\d.]* [kM]B$/).waitFor();
    await page.getByLabel('Maximum size of the database').fill('2000000000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^The database has \d[\d.]* [kM]B of 2 GB$/).waitFor();
  });

  test('backups: one is made, and restored only after a word was typed; old ones are shown, then deleted', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=backups');
    const { lab, page } = site;
    const names = async () =>
      (await lab.as.admin.backup.list({})).diagnostics.entries
        .filter(({ kind }) => kind === 'normal')
        .map((one) => one.name);
    await page.getByText('There is no backup yet.').waitFor();
    await page.getByRole('button', { name: 'Make a backup now' }).click();
    await page.getByText(/was made and verified/).waitFor();
    await page.getByRole('listitem').getByText('verified when it was made, not checked again yet').waitFor();
    await page.getByRole('button', { name: 'Restore' }).first().click();
    // web-whole-path.test.ts restores one.
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    for (let made = (await names()).length; made < 4; made += 1) {
      await lab.advance(60_000);
      await lab.as.admin.backup.create({ body: {} });
    }
    await page.getByLabel('Maximum number of backups').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show what would be deleted' }).click();
    await page.getByText(/^2 backups \(.*\) would be deleted:$/).waitFor();
    await page.getByRole('button', { name: 'Delete these' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete these' }).click();
    await page.getByText(/^2 backups were deleted, .* freed\.$/).waitFor();
    expect(await names()).toHaveLength(2);
  });

  test('about: version, form of the database, and the sentences that must be shown with the data', async () => {
    await using site = await openAt(startWebLab(), null);
    const { lab, browser, page } = site;
    const { version, schemaVersion } = await lab.as.admin.status.status({});
    await browser.logIn('/settings?section=about');
    const card = page.getByRole('region', { name: 'About' });
    await card.getByText(version, { exact: true }).waitFor();
    await card.getByText(String(schemaVersion), { exact: true }).waitFor();
  });

  test('about: the file of a first admin token that was used, in both languages', async () => {
    await using lab = await startWebLab();
    writeFileSync(path.join(lab.dataDir, 'initial-admin-token'), lab.adminToken);
    await lab.as.admin.routers.list({});
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/settings?section=about');
    await page.getByText(/initial-admin-token holds the admin token in clear text/).waitFor();
    await page.evaluate("localStorage.setItem('gatehouse.language', 'ja')");
    await page.reload();
    await page.getByText(/管理者トークンが平文のまま.*initial-admin-token/).waitFor();
  });
});
