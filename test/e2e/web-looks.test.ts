// Languages, themes and narrow screens, and what axe says of each place: in a real browser.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { chromiumPackages } from '../support/browser.ts';
import { withPrograms } from '../support/real-programs.ts';
import { listed, openPage, startHousehold, suspect } from '../support/web-lab.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const open = `open=${encodeURIComponent([suspect, listed, 443, 'TCP'].join())}`;
/** Each place, and the log with a row open. */
const views = ['/', '/connections', `/connections?${open}`];

interface Axe {
  run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

withPrograms(chromiumPackages, ['chromium'], () => {
  test('the page speaks Japanese at once and after a reload, and says so; no English is left in its labels', async () => {
    await using lab = await startHousehold();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.getByText('Account').click();
    await page.getByLabel('Language').selectOption('日本語');
    await page.getByRole('link', { name: '概要' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('ja');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: /台の機器が/ }).waitFor();
    await page.goto(browser.at('/connections'));
    await page.getByRole('heading', { level: 1, name: /^接続 \d+ 件$/ }).waitFor();
    const labels = await page.locator('th, nav, h1, h2, label, summary, button.chip').allTextContents();
    expect(labels.filter((label) => /[A-Za-z]{4,}/.test(label.replace(/Gatehouse|English/g, '')))).toEqual([]);
  });

  test('the theme follows the system until one is chosen, which the browser remembers', async () => {
    await using lab = await startHousehold();
    await using browser = await openPage(lab, { colorScheme: 'dark' });
    const { page } = browser;
    await browser.logIn('/');
    const ground = async () => {
      const style = page.locator('html');
      return style.evaluate((element) => (globalThis as never as Styles).getComputedStyle(element).backgroundColor);
    };
    expect(await ground()).toBe('rgb(17, 19, 21)');
    await page.getByText('Account').click();
    await page.getByLabel('Theme').selectOption('Light');
    await expect.poll(ground).toBe('rgb(247, 247, 245)');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await ground()).toBe('rgb(247, 247, 245)');
  });

  describe.each(views)('%s', (view) => {
    test.each(['light', 'dark'] as const)('axe finds nothing serious in %s', async (colorScheme) => {
      await using lab = await startHousehold();
      // The policy of the page would refuse the script of axe.
      await using browser = await openPage(lab, { colorScheme, bypassCSP: true });
      const { page } = browser;
      await browser.logIn(view);
      await page.getByRole('heading', { level: 1, name: /\d/ }).waitFor();
      await page
        .locator(view.includes('open') ? '.drawer dl' : '.log td button, .ranked li')
        .first()
        .waitFor();
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => (globalThis as never as { axe: Axe }).axe.run());
      const grave = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
      expect(grave.map(({ id, nodes }) => ({ id, nodes: nodes.map((one) => [one.html, one.failureSummary]) }))).toEqual(
        [],
      );
    });

    test('390 px wide, nothing is wider than the page', async () => {
      await using lab = await startHousehold();
      await using browser = await openPage(lab, { viewport: { width: 390, height: 844 }, hasTouch: true });
      const { page } = browser;
      await browser.logIn(view);
      await page.getByRole('heading', { level: 1, name: /\d/ }).waitFor();
      await page
        .locator(view.includes('open') ? '.drawer dl' : '.log td button, .ranked li')
        .first()
        .waitFor();
      const width = await page.locator('html').evaluate((element) => (element as never as Sized).scrollWidth);
      expect(width).toBe(390);
      // What is fixed at the bottom widens nothing, and would be cut.
      for (const place of await page.getByRole('navigation', { name: 'Places' }).getByRole('link').all()) {
        const box = await place.boundingBox();
        expect([await place.textContent(), (box?.x ?? 0) + (box?.width ?? 0)]).toEqual([
          expect.anything(),
          expect.toSatisfy((right: number) => right <= 390),
        ]);
        const isCut = await place.evaluate((element) => {
          const { scrollWidth, clientWidth } = element as never as Sized & { clientWidth: number };
          return scrollWidth > clientWidth;
        });
        expect(isCut).toBe(false);
      }
    });
  });
});

interface Styles {
  getComputedStyle(element: unknown): { backgroundColor: string };
}

interface Sized {
  scrollWidth: number;
}
