// The overview in a real browser: what it says, and the bars over time.
import { expect, test } from 'vitest';
import { startLab } from '../support/lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { openAt, openPage, startHousehold, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('a wrong password is refused in words and stays in its field; the right one shows the overview', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    await page.goto(browser.at('/'));
    const field = page.getByLabel('Password');
    await browser.expecting(/401/, async () => {
      await field.fill('not the password');
      await page.getByRole('button', { name: 'Log in' }).click();
      expect(await page.getByRole('alert').textContent()).toMatch(/password/);
    });
    expect(await field.inputValue()).toBe('not the password');
    await field.fill(lab.password);
    await field.press('Enter');
    const sentence = page.getByRole('heading', { level: 1 });
    await sentence.waitFor();
    const { uniqueDevices, uniqueDestinations } = await lab.as.admin.connections.summary({ query: {} });
    // The heading of the login is a first one too, until the answer is there.
    await expect
      .poll(() => sentence.textContent())
      .toBe(`${uniqueDevices} devices reached ${uniqueDestinations} destinations in 2 countries. 1 needs a look.`);
    for (const name of ['Needs a look', 'Collection', 'Connections over time', 'Devices', 'Organisations']) {
      await page.getByRole('region', { name }).waitFor();
    }
    await page.getByRole('region', { name: 'Needs a look' }).getByText('Known-bad destination').waitFor();
    expect(await page.title()).toBe('(1) Overview – Gatehouse');
  });

  test('a bar zooms to its time, as does its row in the table; the sentence follows, and back returns', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { page } = site;
    const traffic = page.getByRole('region', { name: 'Connections over time' });
    await traffic.getByText('as a table').click();
    const rows = traffic.locator('tr').filter({ has: page.locator('td', { hasText: /^[1-9]/ }) });
    const counts = (await rows.locator('td').allTextContents()).map(Number);
    expect(Math.max(...counts)).toBeGreaterThan(0);
    await rows.last().getByRole('button').click();
    await expect.poll(() => new URL(page.url()).search).toMatch(/^\?from=\d+&to=\d+$/);
    await expect.poll(() => traffic.locator('.figure a').textContent()).toBe(String(counts.at(-1)));
    await page.goBack();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  test('what reads cannot see stands with its router', async () => {
    const intervalMs = 120_000;
    const home = { kind: 'vendor_a', hosts: 30, traffic: true } as const;
    await using lab = await startLab({ routers: { home }, hub: { webFolder: builtWeb(), pollIntervalMs: intervalMs } });
    for (let read = 0; read < 13; read += 1) {
      await lab.advance(intervalMs);
    }
    const { subjects } = await lab.as.admin.coverage.coverage({ query: {} });
    const share = subjects.find(({ id }) => id === lab.routers.home.id)?.unseen?.share ?? 0;
    expect(share).toBeGreaterThan(0.01);
    await using browser = await openPage(lab);
    await browser.logIn('/');
    const collection = browser.page.getByRole('region', { name: 'Collection' });
    const shown = `${Math.floor(share * 1000) / 10}%`;
    await collection.getByText(`an estimated ${shown} of its connections were too short to be seen`).waitFor();
  });
});
