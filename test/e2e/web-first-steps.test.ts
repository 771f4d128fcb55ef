// The list of first steps on the overview: each is done or not as the hub says, and leads to where it is done.
import { expect, test } from 'vitest';
import { openAt, openPage, startHousehold, startWebLab, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('the list says what is done, links to the rest, follows what is done, and can be put away', async () => {
    await using lab = await startWebLab();
    await lab.as.admin.backup.create({ body: {} });
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/');
    const list = page.getByRole('region', { name: 'First steps' });
    const step = (title: string) => list.getByRole('listitem').filter({ hasText: title });
    const state = async (title: string) => (await step(title).locator('small').first().textContent()) ?? '';
    await list.getByText('1 of 7 done').waitFor();
    expect(await state('A backup')).toBe('done');
    for (const title of ['Add a router', 'First reading', 'Free key', 'Alerts to the chat', 'A password of your own']) {
      expect([title, await state(title)]).toEqual([title, 'to do']);
    }
    await lab.as.admin.threat.saveFeedsConfig({ body: { authKey: 'abc123' } });
    await step('A password of your own').getByRole('link').click();
    const form = page.getByRole('region', { name: 'Password' });
    await form.getByLabel('Current password').fill(lab.password);
    await form.getByLabel('New password', { exact: true }).fill('correct horse battery staple');
    await form.getByLabel('New password again').fill('correct horse battery staple');
    await form.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password was changed.').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await list.getByText('3 of 7 done').waitFor();
    expect([await state('A password of your own'), await state('Free key')]).toEqual(['done', 'done']);
    await step('An Agent').getByRole('button', { name: 'Not wanted' }).click();
    await list.getByText('3 of 6 done').waitFor();
    await page.reload();
    await list.getByText('3 of 6 done').waitFor();
    await list.getByRole('button', { name: 'Put this list away' }).click();
    await list.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Gatehouse is ready. Now add a router.' }).waitFor();
  });

  test('a router that was read is done; a viewer has no list', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { browser, page } = site;
    const list = page.getByRole('region', { name: 'First steps' });
    for (const title of ['Add a router', 'First reading of a router', 'Alerts to the chat']) {
      await list.getByRole('listitem').filter({ hasText: title }).getByText('done', { exact: true }).waitFor();
    }
    await page.context().clearCookies();
    await browser.enterAs('viewer', '/');
    await page.getByRole('heading', { level: 1, name: /devices? reached/ }).waitFor();
    expect(await list.count()).toBe(0);
  });
});
