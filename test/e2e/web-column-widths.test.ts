// The widths of the columns of the log: by mouse, by keyboard, remembered, and none on a telephone.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { openAt, pageWidth, startHousehold, withChromium } from '../support/web-lab.ts';
import { words } from '../support/words.ts';

const { page: t, log } = words.en;
const edgeOf = (page: Page, title: string) => page.getByRole('separator', { name: log.widthOf(title), exact: true });
const widthOf = async (page: Page, title: string) =>
  Math.round((await page.getByRole('columnheader', { name: title, exact: true }).boundingBox())?.width ?? 0);

/** Drags the edge of a column by so many pixels. */
async function drag(page: Page, title: string, by: number): Promise<void> {
  const box = await edgeOf(page, title).boundingBox();
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by, y, { steps: 5 });
  await page.mouse.up();
}

withChromium(() => {
  test('an edge is dragged within bounds, a double click restores it, and the browser remembers it', async () => {
    await using site = await openAt(startHousehold(), '/connections', { viewport: { width: 1440, height: 844 } });
    const { page } = site;
    await page.locator('.log tbody button').first().waitFor();
    const usual = await widthOf(page, t.columns.org);
    await drag(page, t.columns.org, 60);
    await expect.poll(() => widthOf(page, t.columns.org)).toBe(usual + 60);
    // The cells are as wide as their heading.
    expect(Math.round((await page.locator('.log tbody td.org').first().boundingBox())?.width ?? 0)).toBe(usual + 60);
    await expect.poll(() => edgeOf(page, t.columns.org).getAttribute('aria-valuenow')).toBe(String(usual + 60));
    await drag(page, t.columns.dport, -500);
    await expect.poll(() => widthOf(page, t.columns.dport)).toBe(48);
    await page.reload();
    await page.locator('.log tbody button').first().waitFor();
    expect([await widthOf(page, t.columns.org), await widthOf(page, t.columns.dport)]).toEqual([usual + 60, 48]);
    // The order of the rows has not changed: an edge is no heading.
    expect(new URL(page.url()).search).toBe('');
    await edgeOf(page, t.columns.dport).dblclick();
    await expect.poll(() => widthOf(page, t.columns.dport)).toBe(60);
    await page.locator('summary', { hasText: log.columns }).click();
    await page.getByRole('button', { name: log.restoreDefaults }).click();
    await expect.poll(() => widthOf(page, t.columns.org)).toBe(usual);
  });

  test('arrow keys on an edge change the width, Enter restores it; axe finds nothing', async () => {
    await using site = await openAt(startHousehold(), '/connections', {
      bypassCSP: true,
      viewport: { width: 1440, height: 844 },
    });
    const { page } = site;
    await page.locator('.log tbody button').first().waitFor();
    const usual = await widthOf(page, t.columns.proto);
    await page.getByRole('columnheader', { name: t.columns.proto, exact: true }).getByRole('button').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => edgeOf(page, t.columns.proto).getAttribute('aria-valuenow')).toBe(String(usual + 32));
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => widthOf(page, t.columns.proto)).toBe(usual + 16);
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => widthOf(page, t.columns.proto)).toBe(usual);
  });

  test('a telephone shows its columns in the width that there is; a broken preference is ignored', async () => {
    await using site = await openAt(startHousehold(), '/connections', { viewport: { width: 390, height: 844 } });
    const { page } = site;
    await page.evaluate(`localStorage.setItem('gatehouse.widths', 'host-700.%%%.src-x')`);
    await page.reload();
    await page.locator('.log tbody button').first().waitFor();
    expect(await page.getByRole('separator').count()).toBe(0);
    expect(await pageWidth(page)).toBe(390);
    expect(await widthOf(page, t.columns.host)).toBeLessThan(200);
    await page.setViewportSize({ width: 1440, height: 844 });
    await expect.poll(() => widthOf(page, t.columns.host)).toBe(700);
  });
});
