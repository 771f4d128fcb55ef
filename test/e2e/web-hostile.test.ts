// Names that others chose, in a real browser: markup, direction, control characters and length are text, and break nothing.
import path from 'node:path';
import { expect, test } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { openPage, pageWidth, startHousehold, styleOf, withChromium } from '../support/web-lab.ts';

const markup = '<img src=x onerror=alert(1)>';
const names = {
  markup,
  script: '"><script>alert(1)</script>',
  bidi: '\u202Egnp.exe\u2066 \u200B',
  control: '\u001B[31mred\u001B[0m\u0000\u0007\r\nnext',
  long: 'a'.repeat(65_536),
};

/** Writes the names past every check, as the worst of what an older version may have stored. */
async function rename(dataDir: string): Promise<void> {
  const db = new Db(path.join(dataDir, 'monitor.db'));
  await db.write((writer) => {
    const all = Object.values(names);
    const sources = writer.prepare('SELECT id FROM source ORDER BY id').all() as { id: number }[];
    for (const [index, { id }] of sources.entries()) {
      writer
        .prepare('UPDATE source SET dns_name = ?, vendor = ? WHERE id = ?')
        .run(all[index % all.length], markup, id);
    }
    const destinations = writer.prepare('SELECT id FROM destination ORDER BY id').all() as { id: number }[];
    for (const [index, { id }] of destinations.entries()) {
      const name = all[index % all.length];
      writer.prepare('UPDATE destination SET host = ?, org = ? WHERE id = ?').run(name, name, id);
    }
    writer.prepare('INSERT INTO flow_change (flows, total) VALUES (NULL, 0)').run();
  });
  await db.close();
}

withChromium(() => {
  test.each([1440, 390])('%i px wide: hostile names are text on every place and widen none', async (width) => {
    await using lab = await startHousehold();
    await lab.stop();
    await rename(lab.dataDir);
    await lab.restart();
    await using browser = await openPage(lab, { viewport: { width, height: 844 } });
    const { page } = browser;
    page.on('dialog', () => {
      throw new Error('a name was run as a script');
    });
    await browser.logIn('/');
    await page.locator('.ranked li').first().waitFor();
    await expect.poll(() => page.getByText(markup).count()).toBeGreaterThan(0);
    for (const place of ['/', '/insights', '/connections']) {
      await page.goto(browser.at(place));
      await page.locator('.log td button, .ranked li').first().waitFor();
      expect(await page.locator('main img, main script').count()).toBe(0);
      expect(await pageWidth(page)).toBe(width);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(6000);
      // The direction of a name ends with it.
      const named = await page.locator('.ranked a, .rows a, .rows small, .alert-title bdi, .log td').all();
      const styles = named.slice(0, 40).map((one) => styleOf(one, 'unicode-bidi'));
      expect(new Set(await Promise.all(styles))).toEqual(new Set(['isolate']));
    }
    const rows = await page.locator('.log td button').all();
    for (const row of rows.slice(0, 6)) {
      await row.click();
      const drawer = page.getByRole('dialog', { name: 'Connection' });
      await drawer.locator('dl').waitFor();
      expect(await drawer.locator('img, script').count()).toBe(0);
      const wide = await drawer.evaluate((element) => {
        const { scrollWidth, clientWidth } = element as never as { scrollWidth: number; clientWidth: number };
        return scrollWidth - clientWidth;
      });
      expect(wide).toBeLessThanOrEqual(0);
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
    }
  });
});
