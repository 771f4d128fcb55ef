// Rows that open by a click anywhere on them, and drawers that going back closes: in a real browser.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openAt, startHousehold, withChromium } from '../support/web-lab.ts';

/** Drags the mouse over the text of a cell, which selects it. */
async function selectText(page: Page, cell: Locator): Promise<void> {
  const box = await cell.boundingBox();
  if (!box) {
    throw new Error('the cell is not in the page');
  }
  await page.mouse.move(box.x + 1, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  expect(await page.evaluate('String(getSelection())')).not.toBe('');
}

withChromium(() => {
  test.each([1280, 390])('a click on a row of the log opens it and back closes it, at %i px', async (width) => {
    await using site = await openAt(startHousehold(), '/alerts', { viewport: { width, height: 844 } });
    const { page } = site;
    await page.getByRole('link', { name: 'Connections', exact: true }).click();
    const rows = page.locator('.log tbody tr');
    const drawer = page.getByRole('dialog', { name: 'Connection' });
    await selectText(page, rows.nth(1).locator('td.host bdi'));
    expect(await drawer.count()).toBe(0);
    await rows.nth(2).locator('td.lastSeen').click();
    await drawer.locator('dl').waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/connections');
    // Closed by its button, it leaves nothing behind in the history.
    await rows.nth(2).locator('td.lastSeen').click();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'detached' });
    await page.goBack();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/alerts');
  });

  test('a click on a row of alerts or of devices opens it; its buttons keep their meaning', async () => {
    await using site = await openAt(startHousehold(), '/alerts');
    const { page } = site;
    const alert = page.locator('.alerts li').first();
    await alert.getByRole('checkbox').check();
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    expect(await drawer.count()).toBe(0);
    await alert.locator('.alert-title + p').click({ position: { x: 2, y: 2 } });
    await drawer.waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    const device = page.locator('.list tbody tr').first();
    await device.getByRole('button').last().click();
    expect(new URL(page.url()).pathname).toBe('/devices');
    await page.keyboard.press('Escape');
    await device.locator('td').nth(2).click();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/devices\/.+/);
    await page.goBack();
    await page.getByRole('table', { name: 'Devices' }).waitFor();
  });
});
