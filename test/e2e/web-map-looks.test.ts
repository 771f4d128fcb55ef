// How the map looks and behaves: many nodes, themes, motion, hostile names, narrow screens, and when there is nothing.
import { describe, expect, test } from 'vitest';
import { change, doorsOf, pixelOf, settled, startPlaced } from '../support/map-lab.ts';
import { openAt, openPage, pageWidth, startHousehold, startWebLab, withChromium } from '../support/web-lab.ts';

const views = ['lanes', 'graph', 'world'] as const;
const markup = '<img src=x onerror=alert(1)>';
const surfaces = { light: '#ffffff', dark: '#191c1f' };

/** Counts how often the canvas is drawn anew: each time it begins with its ground. */
const countDrawings = `globalThis.drawings = 0;
  const fill = CanvasRenderingContext2D.prototype.fillRect;
  CanvasRenderingContext2D.prototype.fillRect = function (...box) { globalThis.drawings += 1; fill.apply(this, box); };`;

withChromium(() => {
  test('of 300 nodes 250 are drawn, and that is said; the table says so too, and lanes count the others', async () => {
    await using lab = await startHousehold();
    const { uniqueDevices, uniqueTargets } = await lab.as.admin.connections.summary({ query: {} });
    const missing = 300 - uniqueDevices - uniqueTargets;
    for (let at = 0; at < missing; at += 1) {
      const dst = at < 200 ? `203.0.113.${at + 1 + (at >= 79 ? 1 : 0)}` : `192.0.2.${at - 199}`;
      lab.routers.home.flow({ src: '192.168.100.31', dst, dport: 443, proto: 'tcp' });
    }
    await lab.poll();
    await using browser = await openPage(lab, { reducedMotion: 'reduce' });
    const { page } = browser;
    await browser.logIn('/map?view=graph');
    await settled(page);
    await page.getByText('250 of 300 devices and destinations are shown, those with the most connections.').waitFor();
    await page.getByRole('img', { name: /^A graph of 250 devices and destinations/ }).waitFor();
    await page.getByText('The 250 rows with the most connections, of 300.').waitFor();
    await page.goto(browser.at('/map'));
    await settled(page);
    await page.getByText(`${300 - uniqueDevices - 16} other targets`).waitFor();
    const others = await page.locator('.lane.target .rest a').getAttribute('href');
    const doors = await doorsOf(page, lab);
    expect(doors.find(({ query }) => query.includes('fTargetMode=isNot'))).toMatchObject({
      shown: doors.find(({ query }) => query.includes('fTargetMode=isNot'))?.total,
    });
    expect(others).not.toBeNull();
  });

  test('the canvas takes the colours of the theme when it is changed here or by the system', async () => {
    await using site = await openAt(startPlaced(), '/map?view=graph', {
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    const { page } = site;
    await settled(page);
    await expect.poll(() => pixelOf(page, surfaces.light)).not.toBeNull();
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await expect.poll(() => pixelOf(page, surfaces.dark)).not.toBeNull();
    await page.getByText('Account').click();
    await page.getByLabel('Theme').selectOption('Light');
    await expect.poll(() => pixelOf(page, surfaces.light)).not.toBeNull();
    expect(await pixelOf(page, surfaces.dark)).toBeNull();
  });

  test('the graph is arranged step by step and then rests; with reduced motion it is there at once', async () => {
    await using lab = await startPlaced();
    const drawings = async (reducedMotion: 'reduce' | 'no-preference') => {
      await using browser = await openPage(lab, { reducedMotion });
      const { page } = browser;
      await page.addInitScript({ content: countDrawings });
      await browser.logIn('/map?view=graph');
      await settled(page);
      const count = () => page.locator('canvas').evaluate(() => (globalThis as never as Counted).drawings);
      const atRest = await count();
      await page.locator('canvas').evaluate(framesLater);
      expect(await count()).toBe(atRest);
      return atRest;
    };
    expect(await drawings('reduce')).toBeLessThan(8);
    expect(await drawings('no-preference')).toBeGreaterThan(20);
  });

  test('a narrow screen shows the lanes where the URL names the graph', async () => {
    await using site = await openAt(startPlaced(), '/map?view=graph', { viewport: { width: 390, height: 844 } });
    const { page } = site;
    await settled(page);
    expect(await page.locator('canvas').count()).toBe(0);
    const shown = page.getByRole('navigation', { name: 'View' }).getByRole('link');
    await expect.poll(() => shown.allTextContents()).toEqual(['Lanes', 'World']);
    await page.setViewportSize({ width: 1440, height: 844 });
    await page.locator('canvas').waitFor();
  });

  describe.each(views)('%s', (view) => {
    test.each([1440, 390])('%i px wide: hostile names are text, and nothing is wider than the page', async (width) => {
      await using lab = await startPlaced();
      const names = [markup, '\u202Egnp.exe\u2066 \u200B', '\u001B[31mred\u001B[0m\u0007\r\nnext', 'a'.repeat(65_536)];
      await lab.stop();
      await change(
        lab.dataDir,
        names.flatMap((name, at) => [
          `UPDATE source SET dns_name = ${quoted(name)} WHERE id % 4 = ${at}`,
          `UPDATE destination SET org = ${quoted(name)}, city = ${quoted(name)} WHERE id % 4 = ${at}`,
        ]),
      );
      await lab.restart();
      await using browser = await openPage(lab, {
        ...{ viewport: { width, height: 844 }, reducedMotion: 'reduce', hasTouch: width === 390 },
      });
      const { page } = browser;
      await browser.logIn(`/map?view=${view}`);
      await settled(page);
      if (view !== 'world') {
        await expect.poll(() => page.locator('main').getByText(markup).count()).toBeGreaterThan(0);
      }
      expect(await page.locator('main img:not([role]), main script').count()).toBe(0);
      expect(await pageWidth(page)).toBe(width);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(4000);
      const doors = await doorsOf(page, lab);
      expect(doors.map(({ total }) => total)).toEqual(doors.map(({ shown }) => shown));
    });
  });

  test('without a router it says what to do, without rows what may help, without the hub that it can be tried again', async () => {
    await using empty = await startWebLab();
    {
      await using browser = await openPage(empty);
      await browser.logIn('/map');
      await browser.page.getByText('No router is set up.').waitFor();
      await browser.page.getByRole('link', { name: 'Add a router' }).waitFor();
    }
    await using site = await openAt(startPlaced(), '/map?from=1000&to=2000');
    const { browser, page } = site;
    await page.getByText('No connection was recorded in this period.').waitFor();
    await page.goto(browser.at('/map?device=192.0.2.77'));
    await page.getByText('Nothing in this period matches the selection.').waitFor();
    await browser.withoutAnswer('**/api/connections/summary*', async () => {
      await page.getByRole('button', { name: 'Show everything' }).click();
      await page.getByText('The hub does not answer.').waitFor();
    });
    await page.getByRole('button', { name: 'Try again' }).click();
    await settled(page);
    await page.getByRole('list', { name: 'Device' }).getByRole('listitem').first().waitFor();
  });
});

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

function framesLater(): Promise<void> {
  const { requestAnimationFrame } = globalThis as never as Counted;
  const after = (frames: number): Promise<void> =>
    new Promise((resolve) => requestAnimationFrame(() => resolve(frames === 0 ? undefined : after(frames - 1))));
  return after(20);
}

interface Counted {
  drawings: number;
  requestAnimationFrame(work: () => void): void;
}
