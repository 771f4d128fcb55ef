// What opens over a place, in a real browser: menus, panels, the pause of live updates, and an address that no page has.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isFocused, openAt, pageWidth, startHousehold, withChromium } from '../support/web-lab.ts';

const panelOf = (page: Page) => new URL(page.url()).searchParams.get('panel');

withChromium(() => {
  test('an address that no page has says so and leads to the pages; a program gets JSON', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { lab, browser, page } = site;
    for (const address of ['/nowhere', '/connections/some%20thing', '/devices/one/two']) {
      await browser.expecting(/404/, async () => {
        const answer = await page.goto(browser.at(address));
        expect(answer?.status()).toBe(404);
        await page.getByRole('heading', { name: `There is no page at ${decodeURI(address)}.` }).waitFor();
      });
      expect(page.url()).toBe(browser.at(address));
      await expect.poll(() => page.title()).toMatch(/Page not found – Gatehouse$/);
    }
    await page.getByRole('main').getByRole('link', { name: 'Connections' }).click();
    await page.locator('.log tbody button').first().waitFor();
    const { status, headers } = await fetch(new URL('/nowhere', lab.url));
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });

  test('the log-in waits in its password field', async () => {
    await using site = await openAt(startHousehold(), null);
    const { browser, page } = site;
    await page.goto(browser.at('/'));
    const field = page.getByLabel('Password');
    await field.waitFor();
    await expect.poll(() => isFocused(field)).toBe(true);
  });

  test('menus and panels close by Esc, by a click beside them and by going back; the focus returns to their button', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { page } = site;
    await page.locator('.log tbody button').first().waitFor();
    const beside = async () => page.locator('main h1').click();
    const coverage = page.locator('.coverage');
    const panels: [string, Locator, Locator][] = [
      ['period', page.getByRole('button', { name: 'Custom' }), page.getByRole('dialog', { name: 'Custom period' })],
      ['search', page.getByRole('button', { name: 'Search' }), page.getByRole('dialog', { name: 'Search' })],
      ['coverage', coverage, page.getByRole('dialog', { name: 'What was not observed' })],
    ];
    for (const [name, button, dialog] of panels) {
      for (const close of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 700), () => page.goBack()]) {
        await button.click();
        await dialog.waitFor();
        expect(panelOf(page)).toBe(name);
        await close();
        await dialog.waitFor({ state: 'detached' });
        await expect.poll(() => [name, panelOf(page)]).toEqual([name, null]);
        await expect.poll(() => isFocused(button)).toBe(true);
      }
    }
    for (const name of ['Account', 'Columns']) {
      const button = page.locator('summary', { hasText: name });
      const menu = button.locator('xpath=..').locator('.menu');
      for (const close of [() => page.keyboard.press('Escape'), beside]) {
        await button.click();
        await menu.waitFor();
        await close();
        await menu.waitFor({ state: 'hidden' });
        expect(await isFocused(button)).toBe(true);
      }
    }
    await page.reload();
    await page.goto(`${page.url()}?panel=coverage`);
    await panels[2]?.[2].waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => panelOf(page)).toBeNull();
  });

  test.each(['en-US', 'ja-JP'])(
    'on a telephone nothing in the header covers another part of it, in %s',
    async (locale) => {
      await using site = await openAt(startHousehold(), null, { viewport: { width: 390, height: 844 }, locale });
      const { lab, browser, page } = site;
      await page.goto(browser.at('/'));
      await page.locator('input[type=password]').fill(lab.password);
      await page.keyboard.press('Enter');
      await page.locator('.coverage').waitFor();
      await page.locator('.live-updates button').click();
      const shown = page.locator('.top :is(a, button, summary):visible');
      await shown.last().waitFor();
      const covered = [];
      for (const one of await shown.all()) {
        await one.focus();
        const isOnTop = await one.evaluate((element) => {
          const { left, top, width, height } = element.getBoundingClientRect();
          const found = element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
          return element.contains(found) || found === element;
        });
        if (!isOnTop) {
          covered.push(await one.textContent());
        }
      }
      expect(covered).toEqual([]);
      expect(await pageWidth(page)).toBe(390);
    },
  );

  test('paused updates wait, are counted, and are shown when they go on', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause live updates' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    for (const dst of ['198.51.100.77', '198.51.100.78']) {
      lab.routers.home.flow({ src: '192.168.100.31', dst, dport: 443, proto: 'tcp' });
    }
    await lab.skip(60_000);
    await lab.poll();
    await page.getByText('2 new while paused').waitFor();
    const fresh = page.getByRole('button', { name: /new.*: show$/ });
    expect(await fresh.count()).toBe(0);
    await page.getByRole('button', { name: 'Resume live updates' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    await fresh.waitFor();
  });
});
