// The frame around every place in a real browser: addresses with a slash too many, the custom period, keys, search.
import { expect, test } from 'vitest';
import { isFocused, openAt, openPage, startHousehold, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('an address with a slash at its end shows its place, with the view that it names', async () => {
    await using site = await openAt(startHousehold(), '/connections/?fOrg=Cloud+One&fOrgMode=exact');
    const { browser, page } = site;
    await page.getByRole('button', { name: /^Remove the filter: Organisation is Cloud One/ }).waitFor();
    expect(page.url()).toBe(browser.at('/connections?fOrg=Cloud+One&fOrgMode=exact'));
    await page.goto(browser.at('/devices/'));
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    expect(page.url()).toBe(browser.at('/devices'));
  });

  test('every place, view and section has a title of its own', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const { devices } = await lab.as.admin.devices.list({});
    await page.goto(browser.at('/map'));
    await expect.poll(() => page.title()).toBe('Log in to Gatehouse');
    await browser.logIn('/map');
    const titles = {
      '/': 'Overview',
      '/connections': 'Connections',
      '/map': 'Map',
      '/map?view=graph': 'Graph – Map',
      '/map?view=world': 'World – Map',
      '/devices': 'Devices',
      '/alerts': 'Alerts',
      '/insights': 'Insights',
      '/insights?view=ask': 'Explain and ask – Insights',
      '/insights?view=usage': 'Usage – Insights',
      '/insights?view=schedule': 'Scheduled – Insights',
      '/settings': 'Routers – Settings',
      '/settings?section=routers&add=1': 'Add a router – Routers – Settings',
      '/settings?section=backups': 'Backups – Settings',
      '/docs': 'API reference',
    };
    // The number of alerts that need a look stands before it.
    const readTitle = async () => (await page.title()).replace(/^\(\d+\) /, '');
    for (const [address, title] of Object.entries(titles)) {
      await page.goto(browser.at(address));
      await expect.poll(readTitle, { timeout: 20_000 }).toBe(`${title} – Gatehouse`);
    }
    // A name from outside stands alone.
    const device = devices.find(({ ip }) => ip === '192.168.100.33');
    await page.goto(browser.at(`/devices/${device?.deviceId}`));
    await expect.poll(readTitle, { timeout: 20_000 }).toBe('192.168.100.33');
    await page.goto(browser.at('/map?view=world'));
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await expect.poll(readTitle, { timeout: 20_000 }).toBe('Devices – Gatehouse');
  });

  test('without a router the overview leads to the settings that add one', async () => {
    await using lab = await startHousehold();
    const { routers } = await lab.as.admin.routers.list({});
    for (const { id } of routers) {
      await lab.as.admin.routers.remove({ params: { id } });
    }
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/');
    const card = page.getByRole('region', { name: 'Collection' });
    await card.getByRole('link', { name: 'Settings: routers' }).click();
    await page.getByRole('heading', { name: 'Routers' }).first().waitFor();
    expect(page.url()).toBe(browser.at('/settings?section=routers'));
  });

  test('a custom period is checked before it is shown, stands in the address, and back returns', async () => {
    await using site = await openAt(startHousehold(), '/connections');
    const { lab, page } = site;
    await page.getByRole('button', { name: 'Custom' }).click();
    const dialog = page.getByRole('dialog', { name: 'Custom period' });
    // The browser of the test has UTC.
    const minuteOf = (ms: number) => new Date(ms).toISOString().slice(0, 16);
    const now = Math.floor(lab.clock.now() / 60_000) * 60_000;
    const hour = 3_600_000;
    const enter = async (from: string, to: string) => {
      await dialog.getByLabel('From').fill(from);
      await dialog.getByLabel('To').fill(to);
      await dialog.getByRole('button', { name: 'Show this period' }).click();
    };
    expect(await dialog.getByLabel('To').inputValue()).toBe(minuteOf(now));
    await enter(minuteOf(now - hour), minuteOf(now - 2 * hour));
    await dialog.getByText('The start must be before the end.').waitFor();
    await enter(minuteOf(now - hour), minuteOf(now + hour));
    await dialog.getByText('The end is in the future.').waitFor();
    await enter('', minuteOf(now));
    await dialog.getByText('Enter a date and a time in both fields.').waitFor();
    expect(await dialog.getByLabel('To').inputValue()).toBe(minuteOf(now));
    expect(new URL(page.url()).search).toBe('?panel=period');
    await enter(minuteOf(now - 3 * hour), minuteOf(now - hour));
    await dialog.waitFor({ state: 'detached' });
    const [from, to] = [String(now - 3 * hour), String(now - hour)];
    expect(new URL(page.url()).search).toBe(`?from=${from}&to=${to}`);
    const { total } = await lab.as.admin.connections.list({ query: { from, to } });
    await page.getByRole('heading', { level: 1, name: `${total} connections` }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Custom' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('a part of the chart is chosen by mouse and by keyboard; it becomes the period, and back returns', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { lab, page } = site;
    const chart = page.getByRole('group', { name: /^Select a part of the period/ });
    // What is above the chart comes with another answer, and moves it.
    await page.getByRole('region', { name: 'Collection' }).getByText('home').first().waitFor();
    /** Where the middle of each bar is now. */
    const measureBars = async () => {
      await chart.scrollIntoViewIfNeeded();
      const box = (await chart.boundingBox()) ?? expect.fail('the chart is not in the page');
      return (bar: number) => [box.x + ((bar + 0.5) / 48) * box.width, box.y + box.height / 2] as const;
    };
    const axis = page.locator('.times');
    const day = await axis.textContent();
    const width = 86_400_000 / 48;
    const start = lab.clock.now() - 86_400_000;
    const zoomed = () => {
      const { searchParams } = new URL(page.url());
      return [searchParams.get('from'), searchParams.get('to')].map((one) => one && (Number(one) - start) / width);
    };
    const at = await measureBars();
    await page.mouse.move(...at(40));
    await page.mouse.down();
    await page.mouse.move(...at(43));
    await page.mouse.move(...at(36), { steps: 4 });
    await page.getByText(/Enter shows it, Esc cancels\.$/).waitFor();
    await page.mouse.up();
    await expect.poll(zoomed).toEqual([36, 41]);
    await page.goBack();
    await expect.poll(zoomed).toEqual([null, null]);
    await page.getByRole('link', { name: '24 h' }).and(page.locator('[aria-current]')).waitFor();
    await expect.poll(() => axis.textContent()).toBe(day);
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Escape');
    await page.getByText(/Enter shows it/).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    expect(zoomed()).toEqual([null, null]);
    // From the last bar on.
    for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowRight', 'Enter']) {
      await page.keyboard.press(key);
    }
    await expect.poll(zoomed).toEqual([45, 47]);
    // A single bar is a click.
    await page.goBack();
    await expect.poll(zoomed).toEqual([null, null]);
    await expect.poll(() => axis.textContent()).toBe(day);
    await page.mouse.click(...(await measureBars())(10));
    await expect.poll(zoomed).toEqual([10, 11]);
  });

  test('"?" lists the keys that work, of which none works in a field or behind a dialog', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { page } = site;
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Close what is open').waitFor();
    const lines = await help.locator('dl > div').allTextContents();
    expect(lines).toEqual(expect.arrayContaining(['g then cGo to Connections', '/ or Ctrl k or ⌘ kSearch']));
    expect(new Set(lines).size).toBe(lines.length);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    expect(new URL(page.url()).pathname).toBe('/');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    for (const key of ['/', 'Control+k']) {
      await page.keyboard.press(key);
      const search = page.getByRole('dialog', { name: 'Search' });
      const field = search.getByRole('combobox');
      await expect.poll(() => isFocused(field)).toBe(true);
      await page.keyboard.type('?gc/');
      expect(await field.inputValue()).toBe('?gc/');
      await page.keyboard.press('Escape');
      await search.waitFor({ state: 'detached' });
    }
    expect([await help.count(), new URL(page.url()).pathname]).toEqual([0, '/']);
    for (const [letter, path] of [
      ['d', '/devices'],
      ['c', '/connections'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
      await expect.poll(() => new URL(page.url()).pathname).toBe(path);
    }
  });

  // The browser reports a little later that a dialog is closed. Then the page asks it to go back, which takes time too.
  test.each([
    ['its end is reported', 'dialog.close(); press();'],
    ['the browser has gone back', "dialog.addEventListener('close', press); dialog.close();"],
  ])('a panel that is opened again before %s opens', async (_, work) => {
    await using site = await openAt(startHousehold(), '/');
    const { page } = site;
    const search = page.getByRole('dialog', { name: 'Search' });
    await page.keyboard.press('/');
    await search.waitFor();
    await page.evaluate(`{
      const dialog = document.querySelector('dialog');
      const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }));
      ${work}
    }`);
    await expect.poll(() => isFocused(search.getByRole('combobox'))).toBe(true);
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  test('search leads to places, devices, addresses, names and countries with an exact filter, and into the log', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const { devices } = await lab.as.admin.devices.list({});
    const one = devices.find(({ ip }) => ip === '192.168.100.31');
    await browser.logIn('/?range=7d');
    const search = page.getByRole('dialog', { name: 'Search' });
    const found = async (text: string, group: string, name: string | RegExp) => {
      await page.keyboard.press('/');
      await search.getByRole('combobox').fill(text);
      await search.getByRole('group', { name: group }).getByRole('option', { name }).click();
      await search.waitFor({ state: 'detached' });
      const { pathname, searchParams } = new URL(page.url());
      return [pathname, ...[...searchParams].map((pair) => pair.join('='))];
    };
    expect(await found('conn', 'Pages', 'Connections')).toEqual(['/connections', 'range=7d']);
    const device = [`/devices/${one?.deviceId}`, 'range=7d'];
    expect(await found('100.31', 'Devices', /192\.168\.100\.31/)).toEqual(device);
    expect(await found(String(one?.mac).toUpperCase(), 'Devices', /192\.168\.100\.31/)).toEqual(device);
    expect(await found('51.100.130', 'Addresses', '198.51.100.130')).toEqual([
      '/connections',
      'range=7d',
      'fDst=198.51.100.130',
      'fDstMode=exact',
    ]);
    expect(await found('sons', 'Organisations', 'Media & Sons <AG>')).toEqual([
      '/connections',
      'range=7d',
      'fOrg=Media & Sons <AG>',
      'fOrgMode=exact',
    ]);
    expect(await found('japan', 'Countries', 'Japan')).toEqual([
      '/connections',
      'range=7d',
      'fCountry=JP',
      'fCountryMode=exact',
    ]);
    const { total } = await lab.as.admin.connections.list({ query: { fOrg: 'media' } });
    const row = `Organisation contains media ${total} connections`;
    expect(await found('media', 'Search the connections', row)).toEqual([
      '/connections',
      'range=7d',
      'fOrg=media',
      'fOrgMode=contains',
    ]);
    await page.getByRole('heading', { level: 1, name: `${total} connections` }).waitFor();
    await page.getByRole('button', { name: 'Search' }).click();
    await search.getByRole('combobox').fill('nobody knows this');
    await search.getByText('Nothing with this name was found.').waitFor();
    await search.getByRole('option', { name: 'Device contains nobody knows this 0 connections' }).waitFor();
    await browser.withoutAnswer('**/api/connections?*', async () => {
      await search.getByRole('combobox').fill('cloud');
      await search.getByText('The hub does not answer.').waitFor();
    });
    // What is known without the log stays.
    await search.getByRole('option', { name: 'Cloud One' }).waitFor();
  });
});
