// The page as on a phone: nothing is cut, moved sideways or broken inside a word. In a real browser.
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { startPlaced } from '../support/map-lab.ts';
import { openAt, startHousehold, withChromium } from '../support/web-lab.ts';

const phone = { viewport: { width: 390, height: 844 } };

/** On how many lines each piece of text of an element stands. */
const linesOfPieces = (place: Locator) =>
  place.evaluate((element) => {
    const { childNodes } = element as never as { childNodes: Iterable<{ nodeType: number }> };
    const { document } = globalThis as never as { document: { createRange(): TextRange } };
    const range = document.createRange();
    return [...childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .map((piece) => {
        range.selectNode(piece);
        return range.getClientRects().length;
      });
  });

interface TextRange {
  selectNode(node: unknown): void;
  getClientRects(): { length: number };
}

const isWiderThanItsPlace = (place: Locator) =>
  place.evaluate((element) => {
    const { scrollWidth, clientWidth } = element as never as { scrollWidth: number; clientWidth: number };
    return scrollWidth > clientWidth;
  });

withChromium(() => {
  test('no place of the bar is cut', async () => {
    await using site = await openAt(startHousehold(), '/', { ...phone, hasTouch: true });
    const places = site.page.getByRole('navigation', { name: 'Places' }).getByRole('link');
    await site.page.locator('.ranked li').first().waitFor();
    for (const place of await places.all()) {
      const box = await place.boundingBox();
      expect([await place.textContent(), (box?.x ?? 0) + (box?.width ?? 0)]).toEqual([
        expect.anything(),
        expect.toSatisfy((right: number) => right <= 390),
      ]);
      expect(await isWiderThanItsPlace(place)).toBe(false);
    }
  });

  test('an address of the log breaks after a dot', async () => {
    await using site = await openAt(startHousehold(), '/connections', phone);
    const address = site.page.locator('.log td button bdi', { hasText: '192.168.100.33' }).first();
    await address.waitFor();
    expect(await linesOfPieces(address)).toEqual([1, 1, 1, 1]);
    expect((await address.boundingBox())?.height).toBeGreaterThan(25);
    // More of a name is seen when it may break anywhere.
    await site.page.route('**/api/connections?*', async (route) => {
      const response = await route.fetch();
      const page = (await response.json()) as { connections: object[] };
      const connections = page.connections.map((one) => ({ ...one, dstHost: 'www.dropbox.example' }));
      await route.fulfill({ response, json: { ...page, connections } });
    });
    await site.page.reload();
    const name = site.page.locator('.log td.host bdi', { hasText: 'www.dropbox.example' }).first();
    await name.waitFor();
    expect(await linesOfPieces(name)).toEqual([2]);
  });

  test('what a router reads is one text, of which no line begins with a dot', async () => {
    await using site = await openAt(startHousehold(), '/settings?section=routers', phone);
    const facts = site.page.locator('.section li .state span');
    await facts.nth(1).waitFor();
    const starts = await facts.evaluateAll((all) =>
      all.map((one) => {
        const { parentElement } = one as never as { parentElement: typeof one };
        const [left, edge] = [one, parentElement].map((part) => part.getClientRects()[0]?.left ?? 0);
        return (left ?? 0) > (edge ?? 0);
      }),
    );
    expect(starts).toEqual([true, true]);
  });

  test.each([
    ['countries', '/map?view=world', 'en'],
    ['pairs', '/map?view=lanes', 'en'],
    ['pairs', '/map?view=lanes', 'ja'],
  ])('every column of the table of %s is seen: %s, %s', async (_what, address, language) => {
    await using site = await openAt(startPlaced(), '/', phone);
    const { browser, page } = site;
    await page.evaluate(`localStorage.setItem('gatehouse.language', '${language}')`);
    await page.goto(browser.at(address));
    await page.locator(`html[lang="${language}"]`).waitFor();
    await page.getByRole('rowheader').nth(1).waitFor();
    expect(await isWiderThanItsPlace(page.locator('.map-table'))).toBe(false);
    const times = await page
      .locator('.map-table time')
      .evaluateAll((all) => all.map((one) => one.getClientRects().length));
    expect(new Set(times)).toEqual(new Set([1]));
  });

  test('the level of a connection is not cut', async () => {
    await using site = await openAt(startHousehold(), '/connections', phone);
    const badge = site.page.locator('.level.danger').first();
    await badge.waitFor();
    const [inner, outer] = [await badge.boundingBox(), await site.page.locator('td', { has: badge }).boundingBox()];
    const right = (box: typeof inner) => (box === null ? 0 : box.x + box.width);
    expect(right(inner)).toBeLessThanOrEqual(right(outer));
  });
});
