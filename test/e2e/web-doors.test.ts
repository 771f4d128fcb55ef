// Every number of connections on every place is a link to the log, which then shows exactly that many.
import { expect, test } from 'vitest';
import { type AtPage, openAt, startHousehold, suspect, withChromium } from '../support/web-lab.ts';

interface Door {
  href: string;
  count: number;
}

/** Links to the log whose text is a number, and those beside which one stands. */
async function doorsOf({ page }: AtPage): Promise<Door[]> {
  const links = page.locator('main, dialog').locator('a[href*="/connections"]');
  const all = await links.evaluateAll((elements) =>
    elements.map((element) => {
      const link = element as unknown as Link;
      const beside = link.closest('.ranked li')?.querySelector('.figure');
      return { href: link.href, text: (beside ?? link).textContent, name: link.ariaLabel ?? '' };
    }),
  );
  // A number of devices or destinations opens the connections it was counted of, which are others in number.
  const numbered = all.filter(({ text, name }) => /^[\d,]+$/.test(text.trim()) && !/Devices|Destinations/.test(name));
  return numbered.map(({ href, text }) => ({ href, count: Number(text.replace(/\D/g, '')) }));
}

interface Link {
  href: string;
  textContent: string;
  ariaLabel: string | null;
  closest(of: string): Row | null;
}

interface Row {
  querySelector(of: string): { textContent: string } | null;
}

/** Places, what is there when they are shown, and how many numbers they have at least. */
const places: [address: string, shown: string | RegExp, least: number][] = [
  ['/', /reached/, 5],
  ['/?range=1h', /reached/, 5],
  ['/map?view=lanes', 'Map', 5],
  ['/map?view=graph', 'Map', 5],
  ['/map?view=world', 'Map', 2],
  ['/devices', /^\d+ devices$/, 3],
  ['/insights', /./, 5],
];

withChromium(() => {
  test('each number on each place leads to exactly as many rows of the log', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { lab, browser, page } = site;
    const { devices } = await lab.as.admin.devices.list({});
    const id = devices.find(({ ip }) => ip === suspect)?.deviceId ?? '';
    const now = lab.clock.now();
    const seen = new Map<string, string>();
    for (const [address, shown, least] of [
      ...places,
      [`/?from=${now - 60_000}&to=${now}`, /./, 5] as const,
      [`/devices/${id}`, suspect, 14] as const,
    ]) {
      await page.goto(browser.at(address));
      await page.getByRole('heading', { level: 1, name: shown }).waitFor();
      await expect
        .poll(async () => (await doorsOf(browser)).length, { message: address })
        .toBeGreaterThanOrEqual(least);
      for (const { href, count } of await doorsOf(browser)) {
        const before = seen.get(href);
        expect([address, href, String(count)]).toEqual([address, href, before ?? String(count)]);
        seen.set(href, String(count));
      }
    }
    expect(seen.size).toBeGreaterThan(20);
    for (const [href, count] of seen) {
      await page.goto(href);
      const heading = page.getByRole('heading', { level: 1, name: /^[\d,]+ connections?$/ });
      expect([href, (await heading.textContent())?.replace(/\D/g, '')]).toEqual([href, count]);
    }
  });
});
