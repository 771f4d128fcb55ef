// The insights in a real browser: sentences and numbers of both periods, where each number leads, and what is said when
// something was not observed, not judged, not allowed or not there.
import path from 'node:path';
import { expect, test } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import type { DetectionLab } from '../support/detection-lab.ts';
import { startThreatLab } from '../support/threat-lab.ts';
import { builtWeb } from '../support/web-build.ts';
import {
  type AtPage,
  isFocused,
  listed,
  openAt,
  openPage,
  startHousehold,
  startWebLab,
  styleOf,
  suspect,
  withChromium,
} from '../support/web-lab.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The household after an hour in which nobody looked, with some connections in each of the last two hours. */
async function startTwoHours(hub: Parameters<typeof startHousehold>[0] = {}): Promise<DetectionLab> {
  const lab = await startHousehold(hub);
  await lab.skip(hour);
  for (const [dst, port] of [
    ['198.51.100.10', 443],
    ['198.51.100.11', 8443],
    [listed, 853],
  ] as const) {
    lab.contact(dst, port);
  }
  await lab.poll();
  await lab.list(listed);
  await lab.poll();
  // A period ends before its last instant.
  await lab.skip(1000);
  return lab;
}

const sentence = (page: AtPage['page']) => page.getByRole('heading', { level: 1 });
const row = (page: AtPage['page'], name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });

/** Each number that says how many connections: where it leads, and what it says. */
async function doors(page: AtPage['page']): Promise<{ href: string; count: number }[]> {
  const counted = ['Connections', 'danger', 'warning'].map((name) => row(page, name).getByRole('link'));
  const links = (await Promise.all(counted.map((one) => one.all()))).flat();
  const ranked = await page.locator('.ranked li').all();
  const numberIn = async (one: (typeof links)[number]) => Number((await one.textContent())?.replace(/\D/g, ''));
  const href = async (one: (typeof links)[number]) => String(await one.getAttribute('href'));
  return Promise.all([
    ...links.map(async (link) => ({ href: await href(link), count: await numberIn(link) })),
    ...ranked.map(async (one) => ({
      href: await href(one.locator('a')),
      count: await numberIn(one.locator('.figure')),
    })),
  ]);
}

withChromium(() => {
  test('every number of connections, of both periods, leads to the log of exactly these connections', async () => {
    await using site = await openAt(startTwoHours(), '/');
    const { lab, browser, page } = site;
    await page.getByRole('link', { name: 'Insights' }).click();
    expect(new URL(page.url()).pathname).toBe('/insights');
    const { connections } = await lab.as.admin.connections.list({ query: { fDst: ['198.51.100.10'], limit: '1' } });
    // Both periods meet on the instant of a sighting, which is in the later one alone.
    const from = connections[0]?.firstSeen ?? 0;
    for (const period of ['range=1h', `from=${from}&to=${from + hour}`]) {
      await page.goto(browser.at(`/insights?${period}`));
      await page.locator('.ranked li').first().waitFor();
      const all = await doors(page);
      // Two periods of connections and of danger, two services at least, and destinations.
      expect(all.length).toBeGreaterThan(8);
      expect(all[0]?.count).toBeGreaterThan(2);
      for (const { href, count } of all) {
        await page.locator(`main a[href="${href}"]`).first().click();
        const heading = page.getByRole('heading', { level: 1, name: /^[\d,]+ connections?$/ });
        const noun = count === 1 ? 'connection' : 'connections';
        expect([href, await heading.textContent()]).toEqual([href, `${count} ${noun}`]);
        await page.goBack();
        await page.locator('.ranked li').first().waitFor();
      }
    }
  });

  test('the numbers are those of the API, the change is their difference, and a weak comparison says so', async () => {
    await using site = await openAt(startTwoHours(), null);
    const { lab, browser, page } = site;
    const now = lab.clock.now();
    const query = { from: String(now - hour), to: String(now) };
    const facts = await lab.as.admin.ai.facts({ query });
    await browser.logIn('/insights?range=1h');
    const [current, previous] = [facts.current.connections, facts.previous.connections];
    expect(current).toBeGreaterThan(previous);
    expect(facts.coverage.share).toBeGreaterThan(0);
    expect(facts.coverage.share).toBeLessThan(1);
    await sentence(page).waitFor();
    expect(await sentence(page).textContent()).toBe(
      `Last hour: ${current} connections, ${current - previous} more than in the period before.`,
    );
    const weak = `The comparison is weak: ${percent(facts.coverage.share)} of this period was observed`;
    await page.getByText(weak).waitFor();
    for (const [name, key] of [
      ['Connections', 'connections'],
      ['Devices', 'devices'],
      ['Destinations', 'destinations'],
    ] as const) {
      const difference = facts.current[key] - facts.previous[key];
      const change = difference === 0 ? 'no change' : `${Math.abs(difference)} ${difference > 0 ? 'more' : 'fewer'}`;
      await expect
        .poll(() => row(page, name).getByRole('cell').allTextContents())
        .toEqual([...[String(facts.current[key]), String(facts.previous[key])], `${change}, weak`]);
    }
    await expect
      .poll(() => row(page, 'Observed').getByRole('cell').allTextContents())
      .toEqual([...[percent(facts.coverage.share), percent(facts.previousCoverage.share)], '']);
  });

  test('periods that were observed whole are compared without a word of doubt', async () => {
    await using lab = await startHousehold();
    const start = lab.clock.now();
    for (let read = 0; read < 10; read += 1) {
      await lab.poll();
    }
    const query = { from: String(start + 5 * minute), to: String(start + 10 * minute) };
    const facts = await lab.as.admin.ai.facts({ query });
    expect([facts.coverage, facts.previousCoverage]).toEqual(Array(2).fill({ share: 1, message: null }));
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn(`/insights?from=${query.from}&to=${query.to}`);
    await row(page, 'Connections').waitFor();
    const main = (await page.getByRole('main').textContent()) ?? '';
    expect(main).not.toMatch(/weak|not comparable|No router was read/);
    await expect.poll(() => row(page, 'Observed').getByRole('cell').allTextContents()).toEqual(['100%', '100%', '']);
  });

  test('a period before which nobody looked is not compared, and what no list judged is not called fine', async () => {
    await using lab = await startHousehold();
    await lab.skip(1000);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/insights?range=6h');
    await sentence(page)
      .getByText(/connections, nothing to compare with\.$/)
      .waitFor();
    await page.getByText('No router was read in the period before').waitFor();
    await page.getByText('Not checked against any threat list: ').waitFor();
    const cells = await row(page, 'Connections').getByRole('cell').allTextContents();
    expect(cells).toEqual([expect.stringMatching(/^\d+$/), 'nothing observed', 'not comparable']);
    await expect
      .poll(() => row(page, 'warning').getByRole('cell').allTextContents())
      .toEqual(['not checked', 'not checked', '']);
    expect(await page.getByText('No connection went to a known-bad destination.').count()).toBe(0);
  });

  test('without routers or rows it says what to do; more than two weeks are refused with a way out', async () => {
    await using site = await openAt(startWebLab(), '/insights');
    const { lab, browser, page } = site;
    await sentence(page).getByText('No connection was recorded in this period.').waitFor();
    await expect
      .poll(() => row(page, 'Devices').getByRole('cell').allTextContents())
      .toEqual([...['nothing observed', 'nothing observed'], 'not comparable']);
    await page.getByText('No router was read in this period.').waitFor();
    await page.getByRole('region', { name: 'Collection' }).getByText('No router is set up.').waitFor();
    await page.getByRole('region', { name: 'New in this period' }).getByText('Nothing is new.').waitFor();
    const now = lab.clock.now();
    await page.goto(browser.at(`/insights?from=${now - 336 * hour - 1}&to=${now}`));
    await page.getByText('Insights compare at most 14 days').waitFor();
    await page.getByRole('link', { name: 'Last 14 days' }).click();
    await page.getByText('No router was read in this period.').waitFor();
    expect(new URL(page.url()).search).toBe('?range=14d');
  });

  test('a router that cannot be read is said so, and the one that is switched off', async () => {
    await using lab = await startHousehold();
    const router = lab.routers.home;
    const { id } = router;
    router.fail('half-open');
    router.fail('hang');
    await lab.pollThroughSilence();
    await lab.pollThroughSilence();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/insights');
    const collection = page.getByRole('region', { name: 'Collection' });
    await collection.getByText(/^not read now, read \d+ min\. ago$/).waitFor();
    await lab.as.admin.routers.update({ params: { id }, body: { enabled: false } });
    await page.reload();
    await collection.getByText('switched off').waitFor();
  });

  test('who may only read sees what an administrator sees', async () => {
    await using site = await openAt(startHousehold(), null);
    const { browser, page } = site;
    const report = async () => {
      await page.locator('.ranked li').first().waitFor();
      return await page.locator('table.comparison').textContent();
    };
    await browser.logIn('/insights');
    const whole = await report();
    await page.context().clearCookies();
    await browser.enterAs('viewer', '/insights');
    expect(await report()).toBe(whole);
  });

  test('a hub that does not answer is said, what was shown stays, and trying again works', async () => {
    await using site = await openAt(startTwoHours(), '/insights?range=1h');
    const { browser, page } = site;
    await row(page, 'Connections').waitFor();
    await browser.withoutAnswer('**/api/ai/facts?*', async () => {
      await page.getByRole('link', { name: '6 h' }).click();
      await page.getByText('The hub does not answer.').waitFor();
      await expect.poll(() => row(page, 'Connections').count()).toBe(1);
    });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The hub does not answer.').waitFor({ state: 'detached' });
    await sentence(page).getByText('Last 6 hours').waitFor();
  });

  test('with the keyboard alone: to the place, to a number, into the log and back, and the report as text', async () => {
    await using site = await openAt(startTwoHours(), '/?range=1h', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = site;
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await row(page, 'Connections').waitFor();
    const shown = (await row(page, 'Connections').getByRole('cell').first().textContent()) ?? '';
    const door = page.getByRole('link', { name: `${shown} Connections, This period` });
    await page.getByRole('main').focus();
    // Behind the parts of the place.
    for (const _ of await page.getByRole('navigation', { name: 'Insights' }).getByRole('link').all()) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Tab');
    expect(await isFocused(door)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `${shown} connections` }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: `${shown} Connections, This period` }).waitFor();
    const copy = page.getByRole('button', { name: 'Copy as text' });
    await copy.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => (globalThis as never as Clipboard).navigator.clipboard.readText());
    expect(copied).toContain(await sentence(page).textContent());
    expect(copied).toMatch(new RegExp(`Connections\\s+${shown}\\s+\\d+\\s+\\d+ more, weak`));
    expect(copied).toContain('Cloud One');
  });

  test('where the browser forbids the clipboard the report is selected instead', async () => {
    await using lab = await startHousehold();
    await lab.skip(1000);
    await using browser = await openPage(lab);
    const { page } = browser;
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await browser.logIn('/insights');
    await page.getByRole('button', { name: 'Copy as text' }).click();
    await page.getByRole('status').filter({ hasText: 'Selected: copy it' }).waitFor();
    const selected = await page.evaluate(() => String((globalThis as never as Selecting).getSelection()));
    expect(selected).toContain(await sentence(page).textContent());
  });

  test('what threat lists judged is said as far as they did', async () => {
    await using lab = await startThreatLab({ router: true, hub: { webFolder: builtWeb() } });
    lab.routers.home.flow({ src: suspect, dst: '198.51.100.7', dport: 443, proto: 'tcp' });
    await lab.poll();
    await lab.later(1000);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/insights?range=1h');
    await page.getByText('No connection went to a known-bad destination. Checked against all threat lists.').waitFor();
    await expect.poll(() => row(page, 'warning').getByRole('link').allTextContents()).toEqual(['0']);
    await lab.as.admin.threat.saveFeedsConfig({ body: { feeds: { feed_drop: { enabled: false } } } });
    await page.reload();
    await page
      .getByText('No connection went to a known-bad destination. Not checked against all threat lists: ')
      .waitFor();
  });

  test('names that others chose are plain text in the copied report, and none is endless', async () => {
    await using lab = await startTwoHours();
    const db = new Db(path.join(lab.dataDir, 'monitor.db'));
    const host = `\u202Egnp.exe\u001B[31m<img src=x onerror=alert(1)>${'a'.repeat(65_536)}`;
    await db.write((writer) => void writer.prepare('UPDATE destination SET host = ?').run(host));
    await db.close();
    await using browser = await openPage(lab, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = browser;
    await browser.logIn('/insights?range=1h');
    await page.getByRole('button', { name: 'Copy as text' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => (globalThis as never as Clipboard).navigator.clipboard.readText());
    expect(copied).toContain('\ufffdgnp.exe\ufffd<img src=x onerror=alert(1)>aaa');
    expect(copied).not.toMatch(/[^\P{C}\n\t\r]/u);
    expect(Math.max(...copied.split('\n').map((line) => line.length))).toBeLessThan(250);
  });

  test('rows that come while it is empty appear at once', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const from = lab.clock.now() + 1;
    await browser.logIn(`/insights?from=${from}&to=${from + 10 * minute}`);
    await sentence(page).getByText('No connection was recorded in this period.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    lab.contact('198.51.100.77', 8443);
    await lab.poll();
    await sentence(page)
      .getByText(/[1-9]\d* connections?,/)
      .waitFor();
    await page.getByRole('link', { name: '198.51.100.77' }).first().waitFor();
  });

  test('on a phone it is under "More", and each number is large enough for a finger', async () => {
    await using site = await openAt(startTwoHours(), '/?range=1h', {
      hasTouch: true,
      viewport: { width: 390, height: 844 },
    });
    const { page } = site;
    const places = page.getByRole('navigation', { name: 'Places' });
    await places.getByRole('button', { name: 'More', expanded: false }).click();
    await places.getByRole('link', { name: 'Insights' }).click();
    await places.getByRole('button', { name: 'More', expanded: false }).waitFor();
    expect(await places.getByRole('link', { name: 'Insights' }).count()).toBe(0);
    await row(page, 'Connections').waitFor();
    for (const link of await page.locator('.comparison a').all()) {
      const box = await link.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
  });

  test('on paper only the report is left, black on white in a dark theme too', async () => {
    await using site = await openAt(startTwoHours(), '/insights?range=1h', { colorScheme: 'dark' });
    const { page } = site;
    await row(page, 'Connections').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation', { name: 'Places' }).count()).toBe(0);
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await styleOf(sentence(page), 'color')).toBe('rgb(0, 0, 0)');
    expect(await styleOf(sentence(page), 'background-color')).toBe('rgba(0, 0, 0, 0)');
    expect(await styleOf(page.locator('html'), 'background-color')).toBe('rgb(255, 255, 255)');
  });
});

function percent(share: number | null): string {
  return `${Math.floor((share ?? 0) * 1000) / 10}%`;
}

interface Clipboard {
  navigator: { clipboard: { readText(): Promise<string> } };
}

interface Selecting {
  getSelection(): unknown;
}
