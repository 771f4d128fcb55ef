// The log by keyboard alone, and what axe says of all that opens there: in a real browser.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { isFocused, openAt, startHousehold, startWebLab, styleOf, withChromium } from '../support/web-lab.ts';

/** Presses Tab until `wanted` has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await isFocused(wanted)) {
      expect(await styleOf(wanted, 'outline-style')).not.toBe('none');
      expect(await styleOf(wanted, 'outline-width')).not.toBe('0px');
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not lead there');
}

withChromium(() => {
  test('filter row, columns, export and search need no mouse, and the focus is never lost', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { page } = site;
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
    expect(await isFocused(summary)).toBe(true);
    expect(await page.locator('.chooser[open]').count()).toBe(0);

    await tabTo(page, page.getByRole('button', { name: 'Export JSON' }));
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(download.suggestedFilename()).toMatch(/\.json$/);
    await page.getByText(/^Saved: all \d+ rows/).waitFor();

    await page.keyboard.press('/');
    const search = page.getByRole('dialog', { name: 'Search' });
    const field = search.getByRole('combobox');
    await expect.poll(() => isFocused(field)).toBe(true);
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
    expect(await isFocused(page.locator('main'))).toBe(true);
  });

  test('what is disabled, hidden or removed leaves the focus near it', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=agents');
    const { browser, page } = site;
    const press = async (button: Locator) => {
      await tabTo(page, button);
      await page.keyboard.press('Enter');
    };
    const expectFocus = (wanted: Locator) => expect.poll(() => isFocused(wanted)).toBe(true);
    const makeCode = page.getByRole('button', { name: 'Make a code' });
    await press(makeCode);
    await page.getByLabel('Code', { exact: true }).waitFor();
    await expectFocus(makeCode);
    await page.goto(browser.at('/settings?section=routers&add=1'));
    await press(page.getByRole('button', { name: 'Next' }));
    await expectFocus(page.getByRole('region', { name: 'Step 2 of 3: Address and login' }));
    await page.goto(browser.at('/connections'));
    await press(page.getByRole('button', { name: '+ Filter' }));
    await tabTo(page, page.getByLabel('Value', { exact: true }));
    await page.keyboard.type('192.168.100.31');
    await press(page.getByRole('button', { name: 'Apply' }));
    await expectFocus(page.getByRole('region', { name: 'Filters' }));
    await page.setViewportSize({ width: 390, height: 844 });
    await press(page.getByRole('button', { name: 'More' }));
    await press(page.getByRole('link', { name: 'Settings', exact: true }));
    await expectFocus(page.getByRole('main'));
  });

  test.each(['light', 'dark'] as const)('axe finds nothing serious in what opens, in %s', async (colorScheme) => {
    await using site = await openAt(startHousehold(), '/connections', { colorScheme, bypassCSP: true });
    const { page } = site;
    await page.locator('.log tbody button').first().waitFor();
    await page.getByRole('button', { name: 'Filter row' }).click();
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByText(/^Saved: all/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.locator('.log tbody button').first().click();
    await page.getByText('Ask a reputation service').click();
    await page.getByText('are sent to each service that you choose').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: /^Search/ }).fill('cloud');
    await page.getByRole('option', { name: /^Organisation contains cloud \d/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Close what is open').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Custom' }).click();
    await page.getByLabel('From').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
