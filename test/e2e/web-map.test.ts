// The map in a real browser: three pictures of one summary, each with its table, doors that are exact, one selection for all.
import { describe, expect, test } from 'vitest';
import { doorsOf, pixelOf, settled, startPlaced } from '../support/map-lab.ts';
import { verifies } from '../support/verifies.ts';
import { listed, openAt, startHousehold, styleOf, suspect, withChromium } from '../support/web-lab.ts';

const day = { name: '24h', ms: 24 * 3_600_000 };

withChromium(() => {
  test.each([
    ['lanes', /^Curves from \d+ devices .* to \d+ organisations/, 'Device–destination pairs'],
    ['graph', /^A graph of \d+ devices and destinations/, 'Devices and destinations'],
    ['world', /^A map of the world with 3 countries/, 'Countries'],
  ] as const)('%s: a picture with words, and a table', async (view, label, caption) => {
    await using site = await openAt(startPlaced(), `/map?view=${view}`);
    const { page } = site;
    await settled(page);
    await page.getByRole('heading', { level: 1, name: 'Map' }).waitFor();
    await page.getByRole('img', { name: label }).waitFor();
    const table = page.getByRole('table', { name: caption });
    for (const column of ['Connections', 'Level', 'Last seen']) {
      await table.getByRole('columnheader', { name: column, exact: true }).waitFor();
    }
    await expect.poll(() => table.getByRole('rowheader').count()).toBeGreaterThan(2);
    expect(await page.title()).toMatch(/^(?:\(\d+\) )?(?:(?:Graph|World) – )?Map – Gatehouse$/);
  });

  describe.each([
    '',
    '&device=192.168.100.33',
    '&target=Cloud+One',
    '&country=DE',
    `&device=${suspect}&target=${listed}`,
  ])('with the selection "%s"', (selected) => {
    test('every number leads to the log of exactly these connections', async () => {
      await using site = await openAt(startPlaced(), '/');
      const { lab, browser } = site;
      for (const view of ['lanes', 'graph', 'world', 'lanes&range=1h']) {
        await browser.page.goto(browser.at(`/map?view=${view}${selected}`));
        await settled(browser.page);
        const doors = await doorsOf(browser.page, lab);
        expect(doors.length).toBeGreaterThan(1);
        expect(doors.map(({ query, total }) => [query, total])).toEqual(
          doors.map(({ query, shown }) => [query, shown]),
        );
      }
    });
  });

  test('a number opens the log, which has as many rows; back returns to the picture', async () => {
    await using site = await openAt(startPlaced(), '/map?view=world');
    const { page } = site;
    await settled(page);
    const unknown = page.getByRole('row', { name: /^Country not known/ }).getByRole('link');
    const shown = await unknown.textContent();
    await unknown.click();
    await page.getByRole('heading', { level: 1, name: `${shown} connections` }).waitFor();
    await page.getByText('Not known is country').waitFor();
    await page.goBack();
    await page.getByRole('img', { name: /^A map of the world/ }).waitFor();
  });

  test('by keyboard alone: to the map, a name selects it for every picture, Escape takes it back, and so does back', async () => {
    await using site = await openAt(startPlaced(), '/');
    const { lab, page } = site;
    await page.locator('.ranked li').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await settled(page);
    expect(new URL(page.url()).pathname).toBe('/map');
    await page.getByRole('list', { name: 'Organisation or host' }).getByRole('link', { name: 'Cloud One' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).search).toBe('?target=Cloud+One');
    const total = await totalOf(lab, { fTarget: 'Cloud One', fTargetMode: 'exact' });
    const head = page.getByRole('link', { name: `${total} connections` });
    await head.waitFor();
    await page.getByRole('link', { name: 'World' }).focus();
    await page.keyboard.press('Enter');

    expect(new URL(page.url()).search).toBe('?target=Cloud+One&view=world');
    await head.waitFor();
    await expect.poll(() => page.getByRole('rowheader').allTextContents()).toEqual(['Germany DE']);
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).search).toBe('?view=world');
    await page.getByRole('rowheader', { name: 'Japan JP' }).waitFor();
    await page.goBack();
    await page.getByText('Remove from the selection: Organisation or host Cloud One').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Show everything' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?view=world');
  });

  test('what a list names stands out by shape, stroke and word; that nobody judged it is said', async () => {
    await using site = await openAt(startPlaced(), '/map');
    const { page } = site;
    await settled(page);
    const strokes = async (level: string) => {
      const curves = await page.locator(`.lane-curves .${level} .curve`).all();
      return Promise.all(curves.map((one) => styleOf(one, 'stroke-dasharray')));
    };
    expect(await strokes('danger')).toEqual(['10px, 4px']);
    expect(await strokes('warn')).toEqual(['4px, 4px']);
    expect(new Set(await strokes('safe'))).toEqual(new Set(['none']));
    const outline = (level: string) => page.locator(`.lane-curves .mark.${level}`).getAttribute('d');
    expect(String(await outline('danger')).match(/[hlv]/g)).toHaveLength(7);
    expect(String(await outline('warn')).match(/[hlv ]/g)).toHaveLength(3);
    // No feed is on in this lab: nothing is shown as fine.
    await page.getByText('A connection without a mark was not checked.').waitFor();
    await expect.poll(() => page.getByRole('cell', { name: 'not checked' }).count()).toBeGreaterThan(3);
  });

  test('countries, places, and what is not on the map or has no dot, in numbers; the colours have a scale', async () => {
    await using site = await openAt(startPlaced(), '/map?view=world');
    const { lab, page } = site;
    await settled(page);
    const summary = await summaryOf(lab);
    const placeless = summary.total - summary.mapCoverage.totalSessions;
    const share = Math.floor((placeless / summary.total) * 1000) / 10;
    await page
      .getByText(`${placeless} (${share}%) have no dot: only their country is known, or not even that.`)
      .waitFor();
    const unknown = summary.byCountry.find(({ country }) => country === null)?.count ?? 0;
    const unknownShare = Math.floor((unknown / summary.total) * 1000) / 10;
    await page.getByText(`${unknown} (${unknownShare}%) are not on the map: their country is not known.`).waitFor();
    const most = Math.max(...summary.byCountry.flatMap(({ country, count }) => (country === null ? [] : count)));
    const scale = page.getByRole('list', { name: 'Connections of a country' }).getByRole('listitem');
    const steps = (await scale.allTextContents()).map(Number);
    expect([steps[0], steps.at(-1)]).toEqual([1, most]);
    expect(await scale.last().locator('path').getAttribute('fill-opacity')).toBe(
      await page
        .locator('.world path.reached', { hasText: `: ${most}` })
        .first()
        .getAttribute('fill-opacity'),
    );
    await expect.poll(() => page.locator('.world .place').count()).toBe(2);
    await expect
      .poll(() => page.locator('.world .place title').allTextContents())
      .toEqual(expect.arrayContaining(['Berlin, Germany', 'Tokyo, Japan']));
    // Too small for an outline, and a point then.
    await expect.poll(() => page.locator('.world circle.country title').allTextContents()).toEqual(['Singapore: 1']);
    await expect.poll(() => page.locator('.world .mark.danger').count()).toBe(1);
    await expect
      .poll(() => page.locator('.world path.reached title').allTextContents())
      .toEqual(
        expect.arrayContaining(
          summary.byCountry.flatMap(({ country, count }) => (country === 'DE' ? `Germany: ${count}` : [])),
        ),
      );
    await page.locator('.world path.reached', { hasText: 'Germany' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?view=world&country=DE');
  });

  test('where no place is known, nothing is said of dots: the countries are on the map', async () => {
    await using site = await openAt(startHousehold(), '/map?view=world');
    const { page } = site;
    await settled(page);
    await page.getByRole('img', { name: /^A map of the world with 2 countries/ }).waitFor();
    await expect.poll(() => page.getByText(/are not on the map/).count()).toBe(1);
    expect(await page.getByText(/have no dot|dot: a known place/).count()).toBe(0);
  });

  verifies(
    'rest.connections.graph-uses-summary',
    'the graph shows nodes and edges of the summary, and asks for no rows',
    async () => {
      await using site = await openAt(startPlaced(), '/settings');
      const { lab, browser, page } = site;
      const asked: string[] = [];
      page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
      await page.goto(browser.at('/map?view=graph'));
      await settled(page);
      expect(new Set(asked.filter((path) => path.startsWith('/api/connections')))).toEqual(
        new Set(['/api/connections/summary']),
      );
      const { byDevice, byTarget, byEdge } = await summaryOf(lab);
      await page
        .getByRole('img', {
          name: `A graph of ${byDevice.length + byTarget.length} devices and destinations with ${byEdge.length} lines. The table has the details.`,
        })
        .waitFor();
      const rows = await page
        .locator('.map-table tbody tr')
        .evaluateAll((all) => all.map((row) => [0, 1, 2].map((at) => (row as never as Row).cells[at]?.textContent)));
      expect(rows.map(([name, kind, count]) => `${kind} ${name} ${count}`).sort()).toEqual(
        [
          ...byDevice.map(({ src, srcDnsName, srcMdnsName, count }) => {
            const name = srcDnsName ?? srcMdnsName;
            return `Device ${name ? `${name} ${src}` : src} ${count}`;
          }),
          ...byTarget.map(({ key, count }) => `Organisation or host ${key} ${count}`),
        ].sort(),
      );
      // A device is where its colour is.
      const at = await pixelOf(page, '#1f57c3');
      await page.locator('canvas').click({ position: at ?? { x: 0, y: 0 } });
      await expect.poll(() => new URL(page.url()).search).toMatch(/^\?view=graph&device=192\.168\.100\.\d+$/);
      await page.goto(browser.at('/map?view=graph&target=Cloud+One'));
      await settled(page);
      await expect.poll(() => page.getByRole('cell', { name: 'Address', exact: true }).count()).toBeGreaterThan(2);
    },
  );
});

async function summaryOf(lab: Awaited<ReturnType<typeof startHousehold>>) {
  const to = lab.clock.now();
  return lab.as.admin.connections.summary({ query: { from: String(to - day.ms), to: String(to), buckets: '1' } });
}

async function totalOf(lab: Awaited<ReturnType<typeof startHousehold>>, filter: Record<string, string>) {
  const to = lab.clock.now();
  const query = { from: String(to - day.ms), to: String(to), limit: '0', ...filter };
  return (await lab.as.admin.connections.list({ query })).total;
}

interface Row {
  cells: { textContent: string }[];
}
