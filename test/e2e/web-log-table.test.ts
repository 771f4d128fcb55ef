// The table of the log in a real browser: the row of filters, the columns, how close rows stand, and the keyboard in it.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isFocused, openAt, shownTotal, startHousehold, withChromium } from '../support/web-lab.ts';

/** What the list was asked for this column, in order. */
function askedFor(page: Page, column: string): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const value = searchParams.get(column);
    if (pathname === '/api/connections' && value !== null) {
      asked.push(value);
    }
  });
  return asked;
}

type Box = Record<'scrollHeight' | 'clientHeight' | 'scrollWidth' | 'clientWidth', number>;
type Name = Box & { textContent: string; parentElement: Box };

const titles = (page: Page) => page.locator('.log thead th').allTextContents();

withChromium(() => {
  test('what is typed in the filter row becomes one request and one step back; chips and row say the same', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    const all = await shownTotal(page);
    await page.getByRole('button', { name: 'Filter row' }).click();
    const field = page.getByRole('searchbox', { name: 'Filter: Organisation' });
    const asked = askedFor(page, 'fOrg');
    await field.pressSequentially('cloud', { delay: 5 });
    const { total } = await lab.as.admin.connections.list({ query: { fOrg: 'cloud' } });
    await expect.poll(() => shownTotal(page)).toBe(total);
    expect(total).toBeLessThan(all);
    expect(asked).toEqual(['cloud']);
    await page.getByRole('button', { name: 'Remove the filter: Organisation contains cloud' }).waitFor();
    expect(new URL(page.url()).searchParams.get('fOrg')).toBe('cloud');
    await page.getByLabel('Condition: Organisation').selectOption('does not contain');
    const rest = await lab.as.admin.connections.list({ query: { fOrg: 'cloud', fOrgMode: 'notContains' } });
    await expect.poll(() => shownTotal(page)).toBe(rest.total);
    await page.goBack();
    await expect.poll(() => shownTotal(page)).toBe(total);
    await page.goBack();
    await expect.poll(() => shownTotal(page)).toBe(all);
    expect([await field.inputValue(), new URL(page.url()).search]).toEqual(['', '']);
    await page.goForward();
    await expect.poll(() => field.inputValue()).toBe('cloud');
    await page.getByRole('button', { name: /^Remove the filter/ }).click();
    await expect.poll(() => field.inputValue()).toBe('');
    await page.getByRole('combobox', { name: 'Filter: Level' }).selectOption('danger');
    await page.getByRole('button', { name: 'Remove the filter: Level is danger' }).waitFor();
    await page.getByLabel('Condition: Organisation').selectOption('contains');
    await field.fill('nobody');
    // Without a row the filters stay where they are.
    await page.getByText('No connection matches.').waitFor();
    expect(await isFocused(field)).toBe(true);
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('nobody');
  });

  test('an answer that was overtaken is cancelled, and the last one is shown', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    await page.getByRole('button', { name: 'Filter row' }).click();
    const field = page.getByRole('searchbox', { name: 'Filter: Organisation' });
    const isPast = Promise.withResolvers<void>();
    await page.route('**/api/connections?*fOrg=media&*', (route) => isPast.promise.then(() => route.abort()));
    const [slow] = await Promise.all([page.waitForRequest(/fOrg=media&/), field.fill('media')]);
    const [cancelled] = await Promise.all([page.waitForEvent('requestfailed'), field.fill('cloud')]);
    expect(cancelled).toBe(slow);
    const { total } = await lab.as.admin.connections.list({ query: { fOrg: 'cloud' } });
    await expect.poll(() => shownTotal(page)).toBe(total);
    isPast.resolve();
    await page.unrouteAll({ behavior: 'wait' });
    expect([await shownTotal(page), await field.inputValue()]).toEqual([total, 'cloud']);
  });

  test('the columns that were chosen and how close rows stand are remembered; the device is always there', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    await page.locator('.log tbody button').first().waitFor();
    const usual = await titles(page);
    const tall = async () => (await page.locator('.log tbody tr').first().boundingBox())?.height;
    expect(await tall()).toBe(36);
    await page.locator('summary', { hasText: 'Columns' }).click();
    const chosen = page.getByRole('group', { name: 'Visible columns' });
    expect(await chosen.getByLabel('Device', { exact: true }).isDisabled()).toBe(true);
    await chosen.getByLabel('Protocol').uncheck();
    await chosen.getByLabel('MAC').check();
    await chosen.getByLabel('Seen by').check();
    await page.getByLabel('compact').check();
    const wanted = [...usual.filter((title) => title !== 'Protocol'), 'Seen by'];
    wanted.splice(wanted.indexOf('Device') + 1, 0, 'MAC');
    expect(await titles(page)).toEqual(wanted);
    expect(await tall()).toBe(28);
    await page.reload();
    await page.locator('.log tbody button').first().waitFor();
    expect(await titles(page)).toEqual(wanted);
    expect(await tall()).toBe(28);
    await page.getByRole('button', { name: 'Filter row' }).click();
    const { id } = lab.routers.home;
    await page.getByRole('combobox', { name: 'Filter: Seen by' }).selectOption(id);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('sourceKind'), searchParams.get('sourceId')]).toEqual(['router', id]);
    await page.getByRole('button', { name: /^Remove the filter: Seen by is / }).click();
    expect(new URL(page.url()).search).toBe('');
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByRole('button', { name: 'Restore the defaults' }).click();
    expect(await titles(page)).toEqual(usual);
  });

  test('on a telephone few columns are shown, in the width that there is, and rows are tall enough for a finger', async () => {
    await using site = await openAt(startHousehold(), '/connections', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const { page } = site;
    await page.locator('.log tbody button').first().waitFor();
    expect(await titles(page)).toEqual(['Last seen ↓', 'Device', 'Host', 'Level']);
    const inner = await page.locator('.log').evaluate((element) => {
      const { scrollWidth, clientWidth } = element as never as { scrollWidth: number; clientWidth: number };
      return scrollWidth - clientWidth;
    });
    expect(inner).toBe(0);
    expect((await page.locator('.log tbody tr').first().boundingBox())?.height).toBe(56);
    // Names take two lines before they are cut.
    const names = await page.locator('.log td:is(.src, .host) bdi').evaluateAll((elements) =>
      (elements as never as Name[]).map((name) => ({
        name: name.textContent,
        isCut: [name, name.parentElement].some(
          ({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
            scrollHeight > clientHeight + 1 || scrollWidth > clientWidth + 1,
        ),
      })),
    );
    expect(names.filter(({ name }) => name.length > 12).length).toBeGreaterThan(2);
    expect(names.filter(({ name, isCut }) => name.length <= 20 && isCut)).toEqual([]);
    // Nothing hides what is known of the destination.
    expect(await page.locator('.log tbody td.host', { hasText: /^—$/ }).count()).toBe(0);
  });

  test('arrows go from cell to cell, "f" and "F" make a filter of one, Enter opens its row', async () => {
    await using site = await openAt(startHousehold(), '/connections?sort=dst');
    const { lab, page } = site;
    await page.locator('.log tbody button').first().focus();
    const focused = () =>
      page.locator('.log :focus').evaluate((element) => {
        const cell = (element as never as { closest(of: string): { dataset: { column: string } } }).closest('td');
        return cell.dataset.column;
      });
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('dst');
    await page.keyboard.press('ArrowDown');
    const dst = String(await page.locator('.log td:focus').textContent());
    await page.keyboard.press('f');
    await page.getByRole('button', { name: `Remove the filter: Destination is ${dst}` }).waitFor();
    await page.goBack();
    await page.locator('.log tr[data-index="1"] td.org').focus();
    const org = String(await page.locator('.log td:focus').textContent());
    await page.keyboard.press('Shift+F');
    await page.getByRole('button', { name: `Remove the filter: Organisation is not ${org}` }).waitFor();
    const { total } = await lab.as.admin.connections.list({ query: { fOrg: org, fOrgMode: 'isNot' } });
    await expect.poll(() => shownTotal(page)).toBe(total);
    await page.locator('.log tr[data-index="0"] td.country').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Connection' }).locator('dl').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Connection' }).waitFor({ state: 'detached' });
    expect(await focused()).toBe('org');
  });
});
