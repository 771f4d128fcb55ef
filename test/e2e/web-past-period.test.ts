// Times of a past period in a real browser: when rows were seen inside it, in the way of the region, and not cut.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openAt, startHousehold, withChromium } from '../support/web-lab.ts';

const minute = 60_000;
const year = 365 * 24 * 60 * minute;

/** A household whose connections were seen again three hours later. */
async function startSeenAgain() {
  const lab = await startHousehold();
  const before = lab.clock.now();
  await lab.skip(3 * 60 * minute);
  for (const src of ['192.168.100.31', '192.168.100.32', '192.168.100.33']) {
    lab.routers.home.flow({ src, dst: '198.51.100.100', dport: 443, proto: 'tcp' });
  }
  await lab.poll();
  return { lab, from: String(before - 10 * minute), to: String(before + 10 * minute) };
}

const times = (page: Page) => page.locator('.log tbody td.lastSeen time').all();

withChromium(() => {
  test('a past period shows when inside it a connection was seen, also when it was seen again later', async () => {
    const { lab: started, from, to } = await startSeenAgain();
    await using site = await openAt(Promise.resolve(started), `/connections?from=${from}&to=${to}`, {
      locale: 'en-GB',
    });
    const { lab, page } = site;
    await page.getByRole('columnheader', { name: 'Seen', exact: true }).waitFor();
    const { connections } = await lab.as.admin.connections.list({ query: { from, to, include: 'lastInRange' } });
    expect(connections.filter(({ lastSeen }) => lastSeen > Number(to)).length).toBeGreaterThan(2);
    const shown = await Promise.all((await times(page)).map((one) => one.getAttribute('datetime')));
    expect(shown).toEqual(connections.map(({ lastInRange }) => new Date(Number(lastInRange)).toISOString()));
    const texts = await page.locator('.log tbody td.lastSeen time').allTextContents();
    expect(texts.filter((text) => !/^\d{1,2} \w+, \d\d:\d\d$/.test(text))).toEqual([]);
  });

  test.each([
    ['en-GB', 390, /^\d{1,2} \w+ \d{4}, \d\d:\d\d$/],
    ['en-US', 1440, /^\w+ \d{1,2}, \d{4}, \d\d:\d\d [AP]M$/],
  ] as const)('%s, %i wide: a date of another year has its year and is not cut', async (locale, width, form) => {
    await using site = await openAt(startHousehold(), null, { locale, viewport: { width, height: 900 } });
    const { lab, browser, page } = site;
    await page.clock.setFixedTime(lab.clock.now() + year);
    const range = `from=${lab.clock.now() - 240 * minute}&to=${lab.clock.now()}`;
    await browser.enterAs('admin', `/connections?${range}`);
    await page.locator('.log tbody time').first().waitFor();
    for (const cell of await page.locator('.log tbody td.lastSeen').all()) {
      expect(await cell.textContent()).toMatch(form);
      const box = await cell.evaluate((element) => {
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element as never as Record<string, number>;
        return { width: [scrollWidth, clientWidth], height: [scrollHeight, clientHeight] };
      });
      expect(box).toEqual({ width: [box.width[1], box.width[1]], height: [box.height[1], box.height[1]] });
    }
  });
});
