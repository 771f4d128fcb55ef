// The export of the log in a real browser: progress, cancel, what was cut, and an end in the middle.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seedLog } from '../../bench/seed.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startRelay } from '../support/relay.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openAt, openPage, startHousehold, startWebLab, withChromium } from '../support/web-lab.ts';

async function exported(page: Page, format: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Export ${format}` }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^monitor-connections-\d{8}T\d{6}Z\.(?:csv|json)$/);
  return readFileSync(await download.path(), 'utf8');
}

withChromium(() => {
  test('both formats hold what the filters match, whole, and the page says how much', async () => {
    await using site = await openAt(startHousehold(), '/connections?fOrg=Media+%26+Sons+%3CAG%3E&fOrgMode=exact');
    const { lab, page } = site;
    const query = { fOrg: 'Media & Sons <AG>', fOrgMode: 'exact' };
    const { total, connections } = await lab.as.admin.connections.list({ query });
    expect(total).toBeGreaterThan(1);
    const csv = await exported(page, 'CSV');
    expect(csv.trim().split('\r\n')).toHaveLength(total + 1);
    await page.getByText(`Saved: all ${total} rows`).waitFor();
    const json = JSON.parse(await exported(page, 'JSON')) as { connections: { src: string; dst: string }[] };
    const keys = (rows: readonly { src: string; dst: string }[]) => rows.map(({ src, dst }) => `${src} ${dst}`).sort();
    expect(keys(json.connections)).toEqual(keys(connections));
    // It is about these rows, and not about others.
    await page.getByRole('button', { name: /^Remove the filter/ }).click();
    await page.getByText(/^Saved:/).waitFor({ state: 'detached' });
  });

  test('a long one shows how far it is, stops when told, saves no half file, and says what was cut', async () => {
    using folder = temporaryFolder();
    await seedLog({ rows: 60_000, dataDir: folder.path, now: new ManualClock().now(), progress: () => undefined });
    await using lab = await startWebLab({ dataDir: folder.path });
    await using relay = await startRelay(lab.url);
    await using browser = await openPage(lab, { origin: relay.url.origin });
    const { page } = browser;
    let downloads = 0;
    page.on('download', () => {
      downloads += 1;
    });
    await browser.logIn('/connections?range=14d');
    const heading = page.getByRole('heading', { level: 1, name: /^[\d,]+ connections$/ });
    const total = (await heading.textContent())?.replace(' connections', '');
    await page.locator('.log tbody button').first().waitFor();
    const part = page.getByText(/[1-9][\d,]* of 50,000 rows, [\d.]+ [kM]B/);

    relay.holdAfter(200_000);
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await part.waitFor();
    const shown = await page.getByRole('progressbar', { name: 'Progress of the export' }).getAttribute('value');
    expect(Number(shown)).toBeGreaterThan(0);
    expect(Number(shown)).toBeLessThan(50_000);
    expect(await page.getByRole('button', { name: 'Export JSON' }).isDisabled()).toBe(true);
    const [ended] = await Promise.all([
      page.waitForEvent('requestfailed'),
      page.getByRole('button', { name: 'Cancel the export' }).click(),
    ]);
    expect([new URL(ended.url()).pathname, ended.failure()?.errorText]).toEqual([
      '/api/connections/export',
      'net::ERR_ABORTED',
    ]);
    await page.getByText('The export was cancelled. No file was saved.').waitFor();
    relay.letGo();

    relay.holdAfter(200_000);
    await page.getByRole('button', { name: 'Export JSON' }).click();
    await part.waitFor();
    await browser.expecting(/ERR_/, async () => {
      relay.cut();
      await page.getByText(/^The export was interrupted after [1-9][\d,]* rows\. No file was saved\.$/).waitFor();
    });
    expect(downloads).toBe(0);

    const csv = await exported(page, 'CSV');
    expect(csv.match(/\r\n/g)).toHaveLength(50_001);
    await page.getByText(`Saved: the newest 50,000 of ${total} rows`).waitFor();
    const { connections, meta } = JSON.parse(await exported(page, 'JSON')) as {
      connections: unknown[];
      meta: { truncated: boolean };
    };
    expect([connections.length, meta.truncated, downloads]).toEqual([50_000, true, 2]);
  });
});
