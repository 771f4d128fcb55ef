// The overview in a real browser: what it says, and that each number opens the log with exactly what it counts.
import { expect, test } from 'vitest';
import { chromiumPackages } from '../support/browser.ts';
import { withPrograms } from '../support/real-programs.ts';
import { openPage, startHousehold } from '../support/web-lab.ts';

withPrograms(chromiumPackages, ['chromium'], () => {
  test('a wrong password is refused in words and stays in its field; the right one shows the overview', async () => {
    await using lab = await startHousehold();
    await using browser = await openPage(lab);
    const { page } = browser;
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
    expect(await sentence.textContent()).toBe(
      `${uniqueDevices} devices reached ${uniqueDestinations} destinations in 2 countries. 1 needs a look.`,
    );
    for (const name of ['Needs a look', 'Collection', 'Connections over time', 'Devices', 'Organisations']) {
      await page.getByRole('region', { name }).waitFor();
    }
    await page.getByRole('region', { name: 'Needs a look' }).getByText('Contact with a listed destination').waitFor();
    expect(await page.title()).toBe('Overview – Gatehouse');
  });
});
