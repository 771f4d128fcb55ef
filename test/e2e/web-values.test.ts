// The values that a filter offers in a real browser: their counts, by keyboard, and countries by their names.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { isFocused, openAt, shownTotal, startHousehold, withChromium } from '../support/web-lab.ts';

const countOf = (text: string | null) => Number(/(\d+)\)?$/.exec(String(text))?.[1]);

/** Opens the form for another filter, at this column. */
async function openForm(page: Page, column: string): Promise<void> {
  await page.getByRole('button', { name: '+ Filter' }).click();
  await page.getByLabel('Column').selectOption(column);
}

withChromium(() => {
  test('a country is chosen by its name from those that there are; the chip says the name', async () => {
    // The policy of the page would refuse the script of axe.
    await using site = await openAt(startHousehold(), '/connections', { bypassCSP: true });
    const { lab, page } = site;
    await openForm(page, 'Country');
    const field = page.getByRole('combobox', { name: 'Value' });
    const options = page.getByRole('listbox').getByRole('option');
    await expect.poll(() => options.count()).toBe(2);
    await field.fill('germ');
    await expect.poll(() => options.count()).toBe(1);
    const { total } = await lab.as.admin.connections.list({ query: { fCountry: 'DE', fCountryMode: 'exact' } });
    await expect.poll(() => options.allTextContents()).toEqual([`Germany DE ${total}`]);
    expect(await seriousFindings(page)).toEqual([]);
    await field.press('ArrowDown');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Remove the filter: Country is Germany' }).waitFor();
    await expect.poll(() => shownTotal(page)).toBe(total);
    expect(new URL(page.url()).search).toBe('?fCountry=DE&fCountryMode=exact');
  });

  test('each value leads to as many rows as it says, in every column with a list', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { page } = site;
    const all = await shownTotal(page);
    for (const column of ['Device', 'Port', 'Protocol', 'Organisation', 'Country']) {
      await openForm(page, column);
      const option = page.getByRole('listbox').getByRole('option').last();
      const count = countOf(await option.textContent());
      await option.click();
      await expect.poll(() => shownTotal(page)).toBe(count);
      await page.getByRole('button', { name: /^Remove the filter/ }).click();
      await expect.poll(() => shownTotal(page)).toBe(all);
    }
    await openForm(page, 'Seen by');
    const routers = page.getByLabel('Value').getByRole('option');
    await expect.poll(async () => (await routers.allTextContents()).map(countOf)).toEqual([all]);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: /^Remove the filter: Seen by is / }).waitFor();
    expect(await shownTotal(page)).toBe(all);
  });

  test('a name that is typed finds its code, in Japanese too, and stays while it is typed', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    await page.getByRole('button', { name: 'Filter row' }).click();
    const field = page.getByRole('searchbox', { name: 'Filter: Country' });
    await field.fill('japa');
    await page.getByRole('button', { name: 'Remove the filter: Country is Japan' }).waitFor();
    expect([await field.inputValue(), await isFocused(field)]).toEqual(['japa', true]);
    await field.blur();
    await expect.poll(() => field.inputValue()).toBe('Japan');
    await page.evaluate("localStorage.setItem('gatehouse.language', 'ja')");
    await page.reload();
    await page.getByRole('button', { name: '絞り込みを外す: 国: 日本 と一致' }).click();
    await page.getByRole('button', { name: '+ 絞り込み' }).click();
    await page.locator('.filter-form select').first().selectOption('国');
    await page.getByRole('combobox', { name: '値' }).fill('ドイツ');
    await page.getByRole('button', { name: '適用' }).click();
    await page.getByRole('button', { name: '絞り込みを外す: 国: ドイツ と一致' }).waitFor();
    const { total } = await lab.as.admin.connections.list({ query: { fCountry: 'DE', fCountryMode: 'exact' } });
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).textContent(), { timeout: 8000 })
      .toContain(` ${total} `);
  });
});
