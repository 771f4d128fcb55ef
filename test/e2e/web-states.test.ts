// What the page says when something is missing: the hub, the session, a router, rows, threat lists, a permission.
import { expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { startRelay } from '../support/relay.ts';
import { listed, openAt, openPage, shownTotal, startHousehold, startWebLab, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('no router, no rows, no threat list: each is a sentence that says what to do, and nothing is called fine', async () => {
    await using site = await openAt(startWebLab(), '/');
    const { page } = site;
    await page.getByRole('heading', { level: 1, name: 'Gatehouse is ready. Now add a router.' }).waitFor();
    await page.getByRole('link', { name: 'Add a router' }).waitFor();
    await page.getByRole('button', { name: 'nothing observed' }).waitFor();
    expect(await page.getByText(/Nothing needs a look|Checked against all threat lists/).count()).toBe(0);
    for (const place of ['Connections', 'Map', 'Devices', 'Alerts', 'Insights']) {
      await page.getByRole('link', { name: place, exact: true }).click();
      await page.getByText('No router is set up.').waitFor();
      await page
        .getByRole('main')
        .getByRole('link', { name: /^(?:Add a router|Settings: routers)$/ })
        .waitFor();
    }
  });

  test('without threat lists the sentence says so, even when all alerts are handled', async () => {
    await using lab = await startHousehold();
    const { alerts } = await lab.as.admin.alerts.list({});
    await lab.as.admin.alerts.resolveMany({ body: { ids: alerts.map(({ id }) => id) } });
    await using browser = await openPage(lab);
    await browser.logIn(`/?from=${lab.clock.now() - 600_000}&to=${lab.clock.now() - 60_000}`);
    const sentence = browser.page.getByRole('heading', { level: 1, name: /devices? reached/ });
    expect(await sentence.textContent()).toMatch(
      /\. 1 handled this week\. Nothing was checked against a threat list\.$/,
    );
  });

  test('a hub that stopped is said at the next look, with what to do; once it runs again the page works on', async () => {
    const port = await freePort();
    await using site = await openAt(startHousehold({ port }), '/');
    const { lab, browser, page } = site;
    await page.locator('.ranked li').first().waitFor();
    await browser.expecting(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE/, async () => {
      await lab.stop();
      await page.getByRole('link', { name: '6 h' }).click();
      await page.getByText('The hub does not answer.').first().waitFor();
      await page.getByText('Check that the hub is running').first().waitFor();
      // What was shown stays, and is marked as that of another period.
      const stale = page.locator('[aria-busy="true"] .ranked li');
      await expect.poll(() => stale.count()).toBeGreaterThan(0);
      await expect.poll(() => stale.count()).toBe(await page.locator('.ranked li').count());
      await page.getByText('Reconnecting…').waitFor();
      await lab.restart();
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText('The hub does not answer.').first().waitFor({ state: 'detached' });
      await page.getByText('Live', { exact: true }).waitFor();
      expect(await stale.count()).toBe(0);
    });
    await page.getByRole('link', { name: 'Connections', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /^[1-9]\d* connections$/ }).waitFor();
  });

  test('a network that is cut is said without a click, and so is its return; what came meanwhile is shown', async () => {
    await using lab = await startHousehold();
    await using relay = await startRelay(lab.url);
    await using browser = await openPage(lab, { origin: relay.url.origin });
    const { page } = browser;
    await browser.logIn('/settings?section=routers');
    await page.getByText('Live', { exact: true }).waitFor();
    relay.hold();
    await page.getByText('Reconnecting…').waitFor({ timeout: 25_000 });
    const { routers } = await lab.as.admin.routers.list({});
    await lab.as.admin.routers.update({ params: { id: String(routers[0]?.id) }, body: { displayName: 'Renamed' } });
    relay.letGo();
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 25_000 });
    await page.getByText('Renamed').waitFor();
  });

  test('while an answer is slow the place says that it loads; what is typed meanwhile is asked for, and stays', async () => {
    await using lab = await startHousehold();
    await using relay = await startRelay(lab.url);
    await using browser = await openPage(lab, { origin: relay.url.origin });
    const { page } = browser;
    await browser.logIn('/connections');
    const heading = page.getByRole('heading', { level: 1 });
    await page.getByRole('heading', { level: 1, name: /^\d+ connections$/ }).waitFor();
    const before = await heading.textContent();
    await page.getByRole('button', { name: 'Filter row' }).click();
    relay.hold();
    const field = page.getByRole('searchbox', { name: 'Filter: Destination', exact: true });
    await field.fill(listed);
    // The old rows stay, dimmed, and are still counted as what they are.
    await page.locator('.log.dimmed').waitFor();
    expect(await heading.textContent()).toBe(before);
    expect(await field.inputValue()).toBe(listed);
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await page.getByText('Loading…').first().waitFor();
    relay.letGo();
    await page.getByRole('heading', { level: 1, name: /^\d+ devices$/ }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: '1 connection' }).waitFor();
  });

  test('a session that was ended elsewhere leads to the log-in and back to the same view', async () => {
    await using site = await openAt(startHousehold(), '/connections?fOrg=Cloud+One&fOrgMode=exact');
    const { lab, browser, page } = site;
    await page.getByRole('heading', { level: 1, name: /^\d+ connections$/ }).waitFor();
    const address = page.url();
    await browser.expecting(/401/, async () => {
      await lab.as.admin.auth.revokeAllSessions({ body: {} });
      await page.getByRole('button', { name: 'Port', exact: true }).click();
      await page.getByLabel('Password').waitFor();
    });
    const sorted = `${address}&sort=dport`;
    expect(page.url()).toBe(sorted);
    await page.getByLabel('Password').fill(lab.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Remove the filter: Organisation is Cloud One/ }).waitFor();
    expect(page.url()).toBe(sorted);
  });

  test('a viewer sees what a viewer may, without an error', async () => {
    await using site = await openAt(startHousehold(), null);
    const { browser, page } = site;
    await browser.enterAs('viewer', '/');
    await page.getByRole('heading', { level: 1, name: /devices reached/ }).waitFor();
    await page.goto(browser.at('/connections'));
    expect(await shownTotal(page)).toBeGreaterThan(0);
    expect(await page.getByText('You do not have permission to see this.').count()).toBe(0);
  });
});
