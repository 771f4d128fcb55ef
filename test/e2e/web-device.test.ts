// The page of one device in a real browser: what it shows, where it leads, and which addresses lead to it.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startMesh } from '#simulators/mesh/access-point.ts';
import { batchOf, enrolAgent, observation } from '../support/agents.ts';
import {
  isFocused,
  latinLabels,
  listed,
  openAt,
  pageWidth,
  shownTotal,
  startHousehold,
  suspect,
  withChromium,
} from '../support/web-lab.ts';

const other = '192.168.100.33';

async function idOf(lab: Awaited<ReturnType<typeof startHousehold>>, ip: string): Promise<string> {
  const { devices } = await lab.as.admin.devices.list({});
  return devices.find((one) => one.ip === ip)?.deviceId ?? '';
}

/** Without the number of alerts that need a look, which stands before it. */
const titleOf = async (page: Page) => (await page.title()).replace(/^\(\d+\) /, '');
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** The queries of all summaries that the page asks for from now on. */
function watchSummaries(page: Page): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/connections/summary') {
      asked.push(searchParams);
    }
  });
  return asked;
}

withChromium(() => {
  test('a device has a page with its days, its places, what is new and its alerts; each number leads to its rows', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const id = await idOf(lab, other);
    const day = { from: String(lab.clock.now() - 86_400_000), to: String(lab.clock.now()) };
    const { total, byDst, byCountry } = await lab.as.admin.connections.summary({ query: { ...day, src: other } });
    await browser.logIn('/devices');
    await page.getByRole('rowheader').getByRole('link', { name: other }).click();
    expect(new URL(page.url()).pathname).toBe(`/devices/${id}`);
    await page.getByRole('heading', { level: 1, name: other }).waitFor();
    await expect.poll(() => titleOf(page)).toBe(other);
    expect(await isFocused(page.getByRole('main'))).toBe(true);
    await page.getByRole('link', { name: `Connections: ${total}` }).waitFor();
    const today = card(page, 'The last 14 days by hour').getByRole('row').last();
    await expect.poll(() => card(page, 'The last 14 days by hour').getByRole('row').count()).toBe(15);
    await today.getByRole('img', { name: /^Connections by hour, / }).waitFor();
    await expect.poll(() => card(page, 'Countries').getByRole('listitem').count()).toBe(byCountry.length);
    await expect.poll(() => card(page, 'Destinations').getByRole('listitem').count()).toBe(byDst.length);
    const news = card(page, 'What is new');
    // Everything is new to a hub that was started within the day.
    await news.getByRole('heading', { name: `Since yesterday (${byDst.length + byCountry.length})` }).waitFor();
    await news.getByText('The device itself was first seen since then.').first().waitFor();
    await news
      .getByText(/^\d+ more$/)
      .first()
      .click();
    await news
      .getByText(/^Media & Sons <AG>\s· new organisation\s· Japan$/)
      .first()
      .waitFor();
    await card(page, 'Programs').getByText('No Agent runs on this device').waitFor();
    await card(page, 'Who observed it')
      .getByText(/% observed/)
      .waitFor();
    const numbers = page.getByRole('main').locator('a[href*="/connections"]');
    const hrefs = await numbers.evaluateAll((all) =>
      all.flatMap((one) => {
        const link = one as unknown as { href: string; textContent: string; closest(of: string): Row | null };
        const shown = link.closest('.ranked li')?.querySelector('.figure')?.textContent ?? link.textContent;
        return /^(?:Connections: )?\d+$/.test(shown) ? [[link.href, Number(shown.replace(/\D/g, ''))] as const] : [];
      }),
    );
    interface Row {
      querySelector(of: string): { textContent: string } | null;
    }
    expect(hrefs.length).toBeGreaterThan(14 + byDst.length + byCountry.length);
    for (const [href, count] of new Map(hrefs)) {
      await page.goto(href);
      const shown = await shownTotal(page);
      expect([href, shown]).toEqual([href, count]);
    }
    await page.goto(browser.at(`/devices/${await idOf(lab, suspect)}`));
    await card(page, 'Alerts').getByRole('link', { name: 'Known-bad destination' }).click();
    const alert = page.getByRole('dialog', { name: 'Alert' });
    await alert.getByText(listed).first().waitFor();
    await alert.getByRole('heading', { level: 2 }).getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: suspect }).waitFor();
  });

  test('old addresses and addresses of the network lead to the page; what is not known has a page with a way back', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const id = await idOf(lab, other);
    await browser.logIn(`/devices?device=${id}&range=7d`);
    await page.waitForURL(browser.at(`/devices/${id}?range=7d`));
    const device = (await lab.as.admin.devices.list({})).devices.find(({ deviceId }) => deviceId === id);
    for (const key of [other, device?.mac ?? '']) {
      await page.goto(browser.at(`/devices/${encodeURIComponent(key)}`));
      await page.getByRole('heading', { level: 1, name: other }).waitFor();
      await page.waitForURL(browser.at(`/devices/${id}`));
    }
    await page.goto(browser.at('/devices/2001%3Adb8%3A%3A7'));
    await page.getByRole('heading', { level: 1, name: 'This device does not exist.' }).waitFor();
    await expect.poll(() => titleOf(page)).toBe('This device does not exist. – Devices – Gatehouse');
    await page.getByText('The hub knows no device with the ID or address 2001:db8::7.').waitFor();
    await page.getByRole('link', { name: 'Connections of this address' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'All devices' }).last().click();
    await page.getByRole('heading', { level: 1, name: /^\d+ devices$/ }).waitFor();
    await expect.poll(() => titleOf(page)).toBe('Devices – Gatehouse');
  });

  test('all addresses of a device are counted in one request for each period; of more than 20 the latest are', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const { client } = await enrolAgent(lab);
    await browser.logIn('/alerts');
    const asked = watchSummaries(page);
    // What its Agent reports belongs to the device: one more address, and then more than the API takes at once.
    for (const addresses of [1, 30]) {
      const all = Array.from({ length: addresses }, (_, at) => `2001:db8:100::a:${(at + 1).toString(16)}`);
      const seen = [other, ...all].map((localAddress) => observation(lab.clock.now(), { localAddress }));
      await client.agents.ingest({ body: batchOf(lab.clock.now(), seen) });
      await lab.settled();
      const { devices } = await lab.as.admin.devices.list({});
      const { ip, ipv6Addrs } = devices.find((one) => one.ip === other) ?? { ip: '', ipv6Addrs: null };
      const latest = [ip, ...(ipv6Addrs ?? [])].slice(0, 20);
      expect(latest).toHaveLength(addresses === 1 ? 5 : 20);
      const { total } = await lab.as.admin.connections.list({ query: { fSrc: latest, fSrcMode: 'exact', limit: '0' } });
      asked.length = 0;
      await page.goto(browser.at(`/devices/${other}`));
      await page.getByRole('link', { name: `Connections: ${total}` }).waitFor();
      await card(page, 'What is new').waitFor();
      await expect
        .poll(() => page.getByText('Only the 20 latest addresses are counted.').count())
        .toBe(addresses === 1 ? 0 : 1);
      const periods = asked.map((query) => ['from', 'to', 'buckets'].map((name) => query.get(name)).join(' '));
      expect(new Set(periods).size).toBe(periods.length);
      expect(asked.map((query) => query.getAll('src'))).toEqual(asked.map(() => latest));
    }
  });

  test('a device whose address is not known says so, and shows connections of no other', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    await using mesh = await startMesh({ clock: lab.clock });
    const mac = '00:00:5e:00:53:99';
    const [client] = mesh.settings.clients.slice(0, 1);
    mesh.patch({ clients: client ? [{ ...client, mac, ip: null }] : [] });
    const { user: username, password } = mesh.credentials;
    await lab.as.admin.routers.setUp({ body: { doMesh: true, routerIp: mesh.url.host, username, password } });
    await lab.settled();
    await browser.logIn('/alerts');
    const asked = watchSummaries(page);
    await page.goto(browser.at(`/devices/${encodeURIComponent(mac)}`));
    await page.getByText('No address of this device is known').waitFor();
    await card(page, 'Programs').getByText('No Agent runs on this device').waitFor();
    expect(asked).toEqual([]);
    for (const name of ['Destinations', 'The last 14 days by hour', 'Who observed it']) {
      expect(await card(page, name).count()).toBe(0);
    }
  });

  test('programs that an Agent has named unfold to the destinations that they contacted', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const { client } = await enrolAgent(lab);
    const seen = observation(lab.clock.now(), { localAddress: other });
    await client.agents.ingest({ body: batchOf(lab.clock.now(), [seen]) });
    await lab.settled();
    await browser.logIn('/alerts');
    await page.goto(browser.at(`/devices/${other}`));
    const programs = card(page, 'Programs');
    await programs.getByText(/contacted 1 destination\s/).click();
    await programs.getByText(seen.processName).waitFor();
    await programs.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: '1 connection' }).waitFor();
  });

  test('what cannot be loaded says so in its own card, and the rest stays; 390 pixels are enough; Japanese is whole', async () => {
    await using site = await openAt(startHousehold(), null, { viewport: { width: 390, height: 844 } });
    const { lab, browser, page } = site;
    await browser.logIn('/alerts');
    await browser.withoutAnswer('**/api/connections/summary*', async () => {
      await page.goto(browser.at(`/devices/${await idOf(lab, other)}`));
      await card(page, 'The last 14 days by hour').getByRole('button', { name: 'Try again' }).waitFor();
      await card(page, 'Who it is').getByText(other).first().waitFor();
    });
    await card(page, 'The last 14 days by hour').getByRole('button', { name: 'Try again' }).click();
    await card(page, 'What is new').waitFor();
    expect(await pageWidth(page)).toBe(390);
    await page.evaluate("localStorage.setItem('gatehouse.language', 'ja')");
    await page.reload();
    await page.getByRole('heading', { name: '新しく現れたもの' }).waitFor();
    expect(await latinLabels(page.getByRole('main').getByRole('heading'))).toEqual([]);
  });
});
