// 100,000 rows in a real browser: all can be reached, and only those in sight are in the page.
import { expect, test } from 'vitest';
import { seedLog } from '../../bench/seed.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openAt, startWebLab, withChromium } from '../support/web-lab.ts';

const rows = 100_000;

withChromium(() => {
  test('100,000 rows scroll to their end and back, with less than a hundred of them in the page', async () => {
    using folder = temporaryFolder();
    await seedLog({ rows, dataDir: folder.path, now: new ManualClock().now(), progress: () => undefined });
    await using site = await openAt(startWebLab({ dataDir: folder.path }), '/connections?range=14d');
    const { lab, page } = site;
    const heading = page.getByRole('heading', { level: 1, name: /^[\d,]+ connections$/ });
    const shown = Number((await heading.textContent())?.replace(/\D/g, ''));
    expect(shown).toBeGreaterThan(0.99 * rows);
    const table = page.getByRole('region', { name: 'Connections' });
    expect(Number(await table.getByRole('table').getAttribute('aria-rowcount'))).toBe(shown + 1);
    for (const share of [0, 0.5, 0.25, 1, 0]) {
      await table.evaluate((element, to) => {
        const box = element as never as { scrollTop: number; scrollHeight: number };
        box.scrollTop = to * box.scrollHeight;
      }, share);
      // The rows that the list has there: the API says which.
      const offset = share === 1 ? shown - 1 : Math.floor((share * shown) / 100) * 100;
      const query = { from: String(lab.clock.now() - 336 * 3_600_000), to: String(lab.clock.now()) };
      const { connections } = await lab.as.admin.connections.list({
        query: { ...query, limit: '1', offset: String(offset) },
      });
      const row = table.locator(`tr[aria-rowindex="${offset + 2}"]`);
      await expect.poll(() => row.locator('td.dst').textContent()).toBe(connections[0]?.dst);
      expect(await table.locator('tbody tr').count()).toBeLessThan(100);
    }
  });
});
