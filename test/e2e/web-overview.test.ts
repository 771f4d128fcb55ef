// The overview in a real browser: what it says, and the bars over time.
import { expect, test } from 'vitest';
import { startLab } from '../support/lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { isFocused, listed, openAt, openPage, startHousehold, suspect, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('a wrong password is refused in words and stays in its field; the right one shows the overview', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
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
    const doors = sentence.getByRole('link');
    const addresses = await doors.evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(addresses).toEqual(['/devices', '/map', '/alerts']);
    for (const name of ['Needs a look', 'Collection', 'Connections over time', 'Devices', 'Organisations']) {
      await page.getByRole('region', { name }).waitFor();
    }
    await page.getByRole('region', { name: 'Needs a look' }).getByText('Known-bad destination').waitFor();
    expect(await page.title()).toBe('(1) Overview – Gatehouse');
  });

  test('a bar zooms to its time, as does its row in the table; the sentence follows, and back returns', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { page } = site;
    const traffic = page.getByRole('region', { name: 'Connections over time' });
    await traffic.getByText('as a table').click();
    const rows = traffic.locator('tr').filter({ has: page.locator('td', { hasText: /^[1-9]\d*$/ }) });
    const counts = (await rows.locator('td:nth-child(2)').allTextContents()).map(Number);
    expect(Math.max(...counts)).toBeGreaterThan(0);
    await rows.last().getByRole('button').click();
    await expect.poll(() => new URL(page.url()).search).toMatch(/^\?from=\d+&to=\d+$/);
    await expect.poll(() => traffic.locator('.figure a').textContent()).toBe(String(counts.at(-1)));
    await page.goBack();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  test('the chart has counts, times, marks of alerts, and the value of each bar for mouse and keyboard', async () => {
    await using site = await openAt(startHousehold(), '/?range=7d');
    const { lab, page } = site;
    const traffic = page.getByRole('region', { name: 'Connections over time' });
    await traffic.getByText('One bar is 3 hours.').waitFor();
    await page.getByRole('link', { name: '24 h' }).click();
    await traffic.getByText('One bar is 30 minutes.').waitFor();
    const counts = (await traffic.locator('.counts span').allTextContents()).map(Number);
    expect([counts[0], counts.length >= 2, counts.toSorted((a, b) => a - b)]).toEqual([0, true, counts]);
    await expect.poll(() => traffic.locator('.bars .line').count()).toBe(counts.length);
    // The browser of the test has UTC.
    const midnight = new Intl.DateTimeFormat('en-US', {
      weekday: 'short',
      month: 'short',
      day: 'numeric',
      timeZone: 'UTC',
    });
    await expect
      .poll(() => traffic.locator('.times .day').allTextContents())
      .toEqual([midnight.format(lab.clock.now())]);
    await expect.poll(() => traffic.locator('.marks .danger, .marks .warn').count()).toBeGreaterThan(0);
    await traffic.getByText(/^Alert: (danger|warning)$/).waitFor();
    const chart = page.getByRole('group', { name: /^Select a part of the period/ });
    const heightOf = async () => (await traffic.boundingBox())?.height;
    const before = await heightOf();
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    const said = traffic.getByRole('status');
    expect(await said.textContent()).toMatch(
      /^.+ to .+: \d+ connections, \d alerts? \(Known-bad destination\)\. Enter shows it, Esc cancels\.$/,
    );
    await page.keyboard.press('Escape');
    const box = await chart.boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 2, (box?.y ?? 0) + 20);
    await traffic.getByText(/^.+ to .+: \d+ connections, \d alerts?/).waitFor();
    expect(await heightOf()).toBe(before);
  });

  test('a mark of the chart and its row in the table lead to the alert, by mouse and by keyboard', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { lab, page } = site;
    const { alerts } = await lab.as.admin.alerts.list({});
    const traffic = page.getByRole('region', { name: 'Connections over time' });
    const mark = traffic.getByRole('link', {
      name: /^.+ to .+: \d+ connections, 1 alert \(Known-bad destination\)\.$/,
    });
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    const expectAlert = async () => {
      await drawer.getByRole('heading', { level: 2, name: `Known-bad destination: ${suspect} → ${listed}` }).waitFor();
      expect(new URL(page.url()).searchParams.get('alert')).toBe(String(alerts[0]?.id));
      await page.goBack();
      await drawer.waitFor({ state: 'detached' });
    };
    await mark.click();
    await expectAlert();
    await traffic.getByText('as a table').focus();
    for (let steps = 0; steps < 20 && !(await isFocused(mark)); steps += 1) {
      await page.keyboard.press('Shift+Tab');
    }
    await page.keyboard.press('Enter');
    await expectAlert();
    await traffic.getByText('as a table').click();
    await traffic
      .getByRole('cell')
      .getByRole('link', { name: `Known-bad destination: ${listed}` })
      .click();
    await expectAlert();
  });

  test('a zoomed chart leads back to the period that it was zoomed from', async () => {
    await using site = await openAt(startHousehold(), '/?range=7d');
    const { page } = site;
    const chart = page.getByRole('group', { name: /^Select a part of the period/ });
    const times = page.locator('.times');
    for (let zooms = 0; zooms < 2; zooms += 1) {
      const before = await times.textContent();
      await chart.focus();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      // The URL changes before the chart does, which would be zoomed at the same bar again.
      await expect.poll(() => times.textContent()).not.toBe(before);
    }
    await page.getByRole('button', { name: 'Back to 7 d' }).click();
    await page.getByRole('link', { name: '7 d' }).and(page.locator('[aria-current]')).waitFor();
    expect(new URL(page.url()).search).toBe('?range=7d');
    expect(await isFocused(chart)).toBe(true);
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
