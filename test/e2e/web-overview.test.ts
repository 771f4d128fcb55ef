// The overview in a real browser: what it says, and that each number opens the log with exactly what it counts.
import { expect, test } from 'vitest';
import { chromiumPackages } from '../support/browser.ts';
import { startLab } from '../support/lab.ts';
import { withPrograms } from '../support/real-programs.ts';
import { builtWeb } from '../support/web-build.ts';
import { type AtPage, openPage, startHousehold } from '../support/web-lab.ts';

/** Each number of connections on the overview that is a link, or has one next to it: where it leads. */
async function numbers(page: AtPage['page']): Promise<{ href: string; count: number }[]> {
  const traffic = page.getByRole('region', { name: 'Connections over time' }).locator('.figure a');
  const ranked = await page.locator('.ranked li').all();
  const read = async (link: typeof traffic, figure: typeof traffic) => ({
    href: String(await link.getAttribute('href')),
    count: Number((await figure.textContent())?.replace(/\D/g, '')),
  });
  return Promise.all([read(traffic, traffic), ...ranked.map((row) => read(row.locator('a'), row.locator('.figure')))]);
}

withPrograms(chromiumPackages, ['chromium'], () => {
  test('a wrong password is refused in words and stays in its field; the right one shows the overview', async () => {
    await using lab = await startHousehold();
    await using browser = await openPage(lab);
    const { page } = browser;
    await page.goto(browser.at('/'));
    const field = page.getByLabel('Password');
    await browser.expecting(/401/, async () => {
      await field.fill('not the password');
      await page.getByRole('button', { name: 'Log in' }).click();
      expect(await page.getByRole('alert').textContent()).toMatch(/password/);
    });
    expect(await field.inputValue()).toBe('not the password');
    await field.fill(lab.password);
    await field.press('Enter');
    const sentence = page.getByRole('heading', { level: 1 });
    await sentence.waitFor();
    const { uniqueDevices, uniqueDestinations } = await lab.as.admin.connections.summary({ query: {} });
    // The heading of the login is a first one too, until the answer is there.
    await expect
      .poll(() => sentence.textContent())
      .toBe(`${uniqueDevices} devices reached ${uniqueDestinations} destinations in 2 countries. 1 needs a look.`);
    for (const name of ['Needs a look', 'Collection', 'Connections over time', 'Devices', 'Organisations']) {
      await page.getByRole('region', { name }).waitFor();
    }
    await page.getByRole('region', { name: 'Needs a look' }).getByText('Contact with a listed destination').waitFor();
    expect(await page.title()).toBe('Overview – Gatehouse');
  });

  test('every number of connections leads to the log of exactly these connections, also in a part of the time', async () => {
    await using lab = await startHousehold();
    await using browser = await openPage(lab);
    const { page } = browser;
    const now = lab.clock.now();
    await browser.logIn('/');
    for (const path of ['/', '/?range=1h', `/?from=${now - 60_000}&to=${now}`]) {
      await page.goto(browser.at(path));
      await page.locator('.ranked li').first().waitFor();
      const all = await numbers(page);
      expect(all.length).toBeGreaterThan(6);
      for (const { href, count } of all) {
        await page.locator(`a[href="${href}"]`).and(page.locator('.ranked a, .figure a')).click();
        const heading = page.getByRole('heading', { level: 1, name: /^[\d,]+ connections$/ });
        expect([href, await heading.textContent()]).toEqual([href, `${count} connections`]);
        await page.goBack();
        await page.locator('.ranked li').first().waitFor();
      }
    }
  });

  test('a bar zooms to its time, as does its row in the table; the sentence follows, and back returns', async () => {
    await using lab = await startHousehold();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/');
    const traffic = page.getByRole('region', { name: 'Connections over time' });
    await traffic.getByText('as a table').click();
    const rows = traffic.locator('tr').filter({ has: page.locator('td', { hasText: /^[1-9]/ }) });
    const counts = (await rows.locator('td').allTextContents()).map(Number);
    expect(Math.max(...counts)).toBeGreaterThan(0);
    await rows.last().getByRole('button').click();
    await expect.poll(() => new URL(page.url()).search).toMatch(/^\?from=\d+&to=\d+$/);
    await expect.poll(() => traffic.locator('.figure a').textContent()).toBe(String(counts.at(-1)));
    await page.goBack();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  test('what reads cannot see stands with its router', async () => {
    const intervalMs = 120_000;
    const home = { kind: 'vendor_a', hosts: 30, traffic: true } as const;
    await using lab = await startLab({ routers: { home }, hub: { webFolder: builtWeb(), pollIntervalMs: intervalMs } });
    for (let read = 0; read < 13; read += 1) {
      await lab.advance(intervalMs);
    }
    const { subjects } = await lab.as.admin.coverage.coverage({ query: {} });
    const share = subjects.find(({ id }) => id === lab.routers.home.id)?.unseen?.share ?? 0;
    expect(share).toBeGreaterThan(0.01);
    await using browser = await openPage(lab);
    await browser.logIn('/');
    const collection = browser.page.getByRole('region', { name: 'Collection' });
    const shown = `${Math.floor(share * 1000) / 10}%`;
    await collection.getByText(`an estimated ${shown} of its connections were too short to be seen`).waitFor();
  });
});
