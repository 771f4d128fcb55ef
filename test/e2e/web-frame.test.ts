// The frame around every place in a real browser: addresses with a slash too many, and the way to a router.
import { expect, test } from 'vitest';
import { chromiumPackages } from '../support/browser.ts';
import { withPrograms } from '../support/real-programs.ts';
import { openPage, startHousehold } from '../support/web-lab.ts';

withPrograms(chromiumPackages, ['chromium'], () => {
  test('an address with a slash at its end shows its place, with the view that it names', async () => {
    await using lab = await startHousehold();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/connections/?fOrg=Cloud+One&fOrgMode=exact');
    await page.getByRole('button', { name: /^Remove the filter: Organisation is Cloud One/ }).waitFor();
    expect(page.url()).toBe(browser.at('/connections?fOrg=Cloud+One&fOrgMode=exact'));
    await page.goto(browser.at('/devices/'));
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    expect(page.url()).toBe(browser.at('/devices'));
  });

  test('without a router the overview leads to the settings that add one', async () => {
    await using lab = await startHousehold();
    const { routers } = await lab.as.admin.routers.list({});
    for (const { id } of routers) {
      await lab.as.admin.routers.remove({ params: { id } });
    }
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/');
    const card = page.getByRole('region', { name: 'Collection' });
    await card.getByRole('link', { name: 'Settings: routers' }).click();
    await page.getByRole('heading', { name: 'Routers' }).first().waitFor();
    expect(page.url()).toBe(browser.at('/settings?section=routers'));
  });
});
