// The log by keyboard alone, and what axe says of all that opens there: in a real browser.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chromiumPackages } from '../support/browser.ts';
import { withPrograms } from '../support/real-programs.ts';
import { openPage, startHousehold } from '../support/web-lab.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** Presses Tab until `wanted` has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await wanted.evaluate(isFocused)) {
      const outline = await wanted.evaluate(outlineOf);
      expect(outline).not.toBe('0px none');
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not lead there');
}

withPrograms(chromiumPackages, ['chromium'], () => {
  test('filter row, columns, export and search need no mouse, and the focus is never lost', async () => {
    await using lab = await startHousehold();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/connections');
    await page.locator('.log tbody button').first().waitFor();

    await tabTo(page, page.getByRole('button', { name: 'Filter row' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('searchbox', { name: 'Filter: Organisation' }));
    await page.keyboard.type('cloud');
    await page.getByRole('button', { name: 'Remove the filter: Organisation contains cloud' }).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('is not');
    await page.getByRole('button', { name: 'Remove the filter: Organisation is not cloud' }).waitFor();
    await page.reload();

    const summary = page.locator('summary', { hasText: 'Columns' });
    await tabTo(page, summary);
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('checkbox', { name: 'Port' }));
    await page.keyboard.press('Space');
    await page.getByRole('columnheader', { name: 'Port' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    expect(await summary.evaluate(isFocused)).toBe(true);
    expect(await page.locator('.chooser[open]').count()).toBe(0);

    await tabTo(page, page.getByRole('button', { name: 'Export JSON' }));
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(download.suggestedFilename()).toMatch(/\.json$/);
    await page.getByText(/^Saved: all \d+ rows/).waitFor();

    await page.keyboard.press('/');
    const search = page.getByRole('dialog', { name: 'Search' });
    const field = search.getByRole('combobox');
    await expect.poll(() => field.evaluate(isFocused)).toBe(true);
    await page.keyboard.type('198.51.100.1');
    await search.getByRole('option', { name: /^Address or host name contains 198\.51\.100\.1 \d/ }).waitFor();
    const options = await search.getByRole('option').allTextContents();
    const chosen = async () => {
      const id = await field.getAttribute('aria-activedescendant');
      const option = search.locator(`[id="${id}"]`);
      expect(await option.getAttribute('aria-selected')).toBe('true');
      return option.textContent();
    };
    expect(await chosen()).toBe(options[0]);
    await page.keyboard.press('ArrowUp');
    expect(await chosen()).toBe(options.at(-1));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await chosen()).toBe(options[1]);
    await page.keyboard.press('Enter');
    await search.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('fDst')).toBe(options[1]?.trim());
    expect(await page.locator('main').evaluate(isFocused)).toBe(true);
  });

  test.each(['light', 'dark'] as const)('axe finds nothing serious in what opens, in %s', async (colorScheme) => {
    await using lab = await startHousehold();
    // The policy of the page would refuse the script of axe.
    await using browser = await openPage(lab, { colorScheme, bypassCSP: true });
    const { page } = browser;
    await browser.logIn('/connections');
    await page.locator('.log tbody button').first().waitFor();
    const grave = async () => {
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => (globalThis as never as { axe: Axe }).axe.run());
      return violations
        .filter(({ impact }) => ['serious', 'critical'].includes(impact))
        .map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]);
    };
    await page.getByRole('button', { name: 'Filter row' }).click();
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByText(/^Saved: all/).waitFor();
    expect(await grave()).toEqual([]);
    await page.locator('.log tbody button').first().click();
    await page.getByText('Ask a reputation service').click();
    await page.getByText('What leaves this network').waitFor();
    expect(await grave()).toEqual([]);
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: /^Search/ }).fill('cloud');
    await page.getByRole('option', { name: /^Organisation contains cloud \d/ }).waitFor();
    expect(await grave()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Close what is open').waitFor();
    expect(await grave()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Custom' }).click();
    await page.getByLabel('From').waitFor();
    expect(await grave()).toEqual([]);
  });
});

function isFocused(element: unknown): boolean {
  const { ownerDocument } = element as { ownerDocument: { activeElement: unknown } };
  return ownerDocument.activeElement === element;
}

function outlineOf(element: unknown): string {
  const { outlineWidth, outlineStyle } = (globalThis as never as Styles).getComputedStyle(element);
  return `${outlineStyle === 'none' ? '0px' : outlineWidth} ${outlineStyle}`;
}

interface Styles {
  getComputedStyle(element: unknown): { outlineWidth: string; outlineStyle: string };
}

interface Axe {
  run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}
