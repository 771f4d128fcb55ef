// Saved views of the log: saved, shown, replaced and deleted by visible words; the link shows the same in another browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { openAt, pageWidth, startHousehold, withChromium } from '../support/web-lab.ts';
import { words } from '../support/words.ts';

const titles = (page: Page) => page.locator('.log thead th').allTextContents();

const totalOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
const name = 'Night \u{1F319}';

async function openViews(page: Page, label: string): Promise<void> {
  await page.locator('.log tbody button').first().waitFor();
  await page.locator('summary', { hasText: label }).click();
}

withChromium(() => {
  test.each(['en', 'ja'] as const)('%s: a view is saved, shown again, replaced and deleted', async (language) => {
    const { page: t, log } = words[language];
    const w = log.views;
    await using site = await openAt(startHousehold(), '/connections?fOrg=cloud&range=7d');
    const { page } = site;
    await page.evaluate(`localStorage.setItem('gatehouse.language', '${language}')`);
    await page.reload();
    await openViews(page, w.label);
    await page.getByText(w.none).waitFor();
    await page.getByRole('textbox', { name: w.name }).fill(name);
    await page.keyboard.press('Enter');
    await page.getByText(w.current(name)).waitFor();
    const link = page.url();
    const [shown, total] = [await titles(page), await totalOf(page)];
    // The menu stays open, and its form now replaces the view.
    await page.getByRole('button', { name: w.replace(name) }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await page.goto(site.browser.at('/connections'));
    await openViews(page, w.label);
    await page.getByRole('link', { name: name }).click();
    expect(page.url()).toBe(link);
    await expect.poll(() => totalOf(page)).toBe(total);
    await page.getByRole('button', { name: t.filters.clear }).click();
    await page.getByText(w.changed(name)).waitFor();
    await openViews(page, w.label);
    await page.getByRole('button', { name: w.replace(name) }).click();
    await page.getByText(w.current(name), { exact: true }).waitFor();

    const remove = page.getByRole('button', { name: w.remove(name) });
    await remove.click();
    await page.getByText(w.removeQuestion(name)).waitFor();
    await remove.click();
    await page.getByText(w.none).waitFor();
    await page.goto(link);
    await page.getByText(w.current(name)).waitFor();
    await expect.poll(() => totalOf(page)).toBe(total);
    expect(await titles(page)).toEqual(shown);
  });

  test('a link shows its columns in a browser that chose others, whose choice stays; 390 pixels are enough', async () => {
    const { log } = words.en;
    await using site = await openAt(startHousehold(), '/connections?view=Few&columns=src,dst,none', {
      viewport: { width: 390, height: 844 },
    });
    const { page } = site;
    await page.evaluate(`localStorage.setItem('gatehouse.columns', 'dport')`);
    await page.reload();
    await page.getByText(log.views.current('Few')).waitFor();
    await expect.poll(() => titles(page)).toEqual(['Device', 'Destination']);
    await page.locator('summary', { hasText: log.columns }).click();
    await page.getByRole('checkbox', { name: 'Protocol' }).click();
    await expect.poll(() => titles(page)).toEqual(['Device', 'Destination', 'Protocol']);
    await page.keyboard.press('Escape');
    await openViews(page, log.views.label);
    await page.getByRole('button', { name: log.views.save }).click();
    expect(await pageWidth(page)).toBe(390);
    const link = page.url();
    await page.goto(site.browser.at('/connections'));
    await expect.poll(() => titles(page)).toEqual(['Device', 'Port']);
    await page.goto(link);
    await expect.poll(() => titles(page)).toEqual(['Device', 'Destination', 'Protocol']);
    await page.locator('summary', { hasText: log.columns }).click();
    await page.getByRole('button', { name: log.restoreDefaults }).click();
    await expect.poll(() => titles(page)).toEqual(['Last seen ↓', 'Device', 'Host', 'Level']);
  });

  test('views that cannot be read are said, and those that can are there', async () => {
    const { log } = words.en;
    await using site = await openAt(startHousehold(), '/connections');
    const { page } = site;
    await page.evaluate(
      `localStorage.setItem('gatehouse.views', '[{"name":"Kept","query":"range=1h"},{"name":7},"x"]')`,
    );
    await page.reload();
    await openViews(page, log.views.label);
    await page.getByText(log.views.unread('2')).waitFor();
    await page.getByRole('link', { name: 'Kept' }).click();
    await page.getByText(log.views.current('Kept')).waitFor();
  });
});
