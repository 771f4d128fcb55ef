// The log in a real browser: filters, addresses that hold the whole view, sorting, the drawer by keyboard.
import { expect, test } from 'vitest';
import { listed, openAt, shownTotal, startHousehold, suspect, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('a filter is a chip and a part of the address; back takes it away, the address alone brings it again', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    const all = await shownTotal(page);
    await page.getByRole('button', { name: '+ Filter' }).click();
    await page.getByLabel('Column').selectOption('Organisation');
    await page.getByLabel('Condition').selectOption('starts with');
    await page.getByLabel('Value').fill('cloud');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Remove the filter: Organisation starts with cloud' }).waitFor();
    const { total } = await lab.as.admin.connections.list({ query: { fOrg: 'cloud', fOrgMode: 'startsWith' } });
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(all);
    await expect.poll(() => shownTotal(page)).toBe(total);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('fOrg'), searchParams.get('fOrgMode')]).toEqual(['cloud', 'startsWith']);
    const filtered = page.url();
    await page.goBack();
    await expect.poll(() => shownTotal(page)).toBe(all);
    await page.goto(filtered);
    await expect.poll(() => shownTotal(page)).toBe(total);
    await page.getByRole('button', { name: /^Remove the filter/ }).click();
    await expect.poll(() => shownTotal(page)).toBe(all);
    expect(new URL(page.url()).search).toBe('');
  });

  test('a second value of a column is another choice; a negative mode shows the rest', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    const all = await shownTotal(page);
    const add = async (mode: string, value: string) => {
      await page.getByRole('button', { name: '+ Filter' }).click();
      await page.getByLabel('Column').selectOption('Destination');
      await page.getByLabel('Condition').selectOption(mode);
      await page.getByLabel('Value').fill(value);
      await page.getByRole('button', { name: 'Apply' }).click();
    };
    const { connections } = await lab.as.admin.connections.list({ query: {} });
    const [one = '', other = ''] = new Set(connections.map(({ dst }) => dst));
    await add('is', one);
    await add('is', other);
    await page.getByRole('button', { name: `Remove the filter: Destination is ${one} or ${other}` }).waitFor();
    const { total } = await lab.as.admin.connections.list({ query: { fDst: [one, other], fDstMode: 'exact' } });
    expect(total).toBeGreaterThan(1);
    await expect.poll(() => shownTotal(page)).toBe(total);
    await add('is not', one);
    await page.getByRole('button', { name: `Remove the filter: Destination is not ${one}` }).waitFor();
    const rest = await lab.as.admin.connections.list({ query: { fDst: [one], fDstMode: 'isNot' } });
    await expect.poll(() => shownTotal(page)).toBe(rest.total);
    expect(rest.total).toBeLessThan(all);
  });

  test('an address with filters, order and an open row shows exactly that', async () => {
    await using site = await openAt(startHousehold(), null);
    const { browser, page } = site;
    const id = [suspect, listed, 443, 'TCP'].join();
    await browser.logIn(`/connections?fThreat=danger&sort=dst&sortDir=asc&open=${encodeURIComponent(id)}`);
    expect(await shownTotal(page)).toBe(1);
    await page.getByRole('button', { name: 'Remove the filter: Level is danger' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Destination' }).getAttribute('aria-sort')).toBe('ascending');
    const drawer = page.getByRole('dialog', { name: 'Connection' });
    await drawer.getByText('ExampleBot').waitFor();
    expect(await drawer.getByRole('heading', { level: 2 }).textContent()).toContain(`${listed}:443`);
    expect(await page.getByRole('row').filter({ hasText: listed }).textContent()).toContain('danger');
  });

  test('a heading sorts one way and the other, and the rows come as the API sorts them', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    await shownTotal(page);
    for (const sortDir of ['desc', 'asc'] as const) {
      await page.getByRole('button', { name: 'Destination' }).click();
      const { connections } = await lab.as.admin.connections.list({ query: { sort: 'dst', sortDir } });
      const expected = connections.map(({ dst }) => dst);
      expect(new Set(expected).size).toBeGreaterThan(5);
      await expect.poll(() => page.locator('tbody td.dst').allTextContents()).toEqual(expected);
    }
  });

  test('the drawer opens, closes and gives the focus back by keyboard alone; Tab stays on what can be used', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { page } = site;
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await shownTotal(page);
    const rows = page.locator('tbody button[data-index]');
    await rows.first().waitFor();
    await rows.first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.locator('button:focus').getAttribute('data-index')).toBe('2');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Connection' });
    await drawer.getByRole('heading', { level: 2 }).waitFor();
    await expect.poll(() => page.locator('dialog:focus').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('open')).toMatch(/,443,TCP$/);
    await page.keyboard.press('Tab');
    await expect.poll(() => drawer.getByRole('button', { name: 'Close' }).and(page.locator(':focus')).count()).toBe(1);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await page.locator('button:focus').getAttribute('data-index')).toBe('2');
    expect(new URL(page.url()).searchParams.get('open')).toBeNull();
  });
});
