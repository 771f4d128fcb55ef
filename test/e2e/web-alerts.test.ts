// Alerts in a real browser: worked off by clicks and by keys, taken back, opened again, and the same in another browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { type DetectionLab, device, startDetectionLab } from '../support/detection-lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { isFocused, openAt, openPage, withChromium } from '../support/web-lab.ts';

const targets = ['203.0.113.80', '203.0.113.81', '203.0.113.82'];
const [first = '', second = '', third = ''] = targets;
const other = '192.168.100.24';
const day = 86_400_000;

/** A hub with an open alert for each target. */
async function startWithAlerts(wanted: readonly string[] = targets): Promise<DetectionLab> {
  const lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
  for (const dst of wanted) {
    lab.contact(dst);
  }
  await lab.poll();
  for (const dst of wanted) {
    await lab.list(dst);
  }
  await lab.poll();
  return lab;
}

/** Another device contacts the listed address. */
async function contactFromOther(lab: DetectionLab, dst: string): Promise<void> {
  lab.routers.home.flow({ src: other, dst, dport: 443, proto: 'tcp', lastsMs: 90_000, ends: 'silent' });
  await lab.poll();
  await lab.list(dst);
  await lab.poll();
}

const rowOf = (page: Page, target: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: target });
const dialogOf = (page: Page) => page.locator('dialog.alert-action');
const rowsOf = (page: Page) => page.locator('li[data-alert]');

async function readState(lab: DetectionLab, target: string): Promise<string | undefined> {
  const { alerts } = await lab.as.admin.alerts.list({ query: { q: target } });
  return alerts[0]?.state;
}

/** Works a button of the row, and confirms with the note. */
async function act(page: Page, target: string, button: string, confirm: string, note: string): Promise<void> {
  await rowOf(page, target)
    .getByRole('button', { name: `${button}:` })
    .click();
  await dialogOf(page)
    .getByLabel(/Note|Reason/)
    .fill(note);
  await dialogOf(page).getByRole('button', { name: confirm }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
}

withChromium(() => {
  test('by clicks: from three open alerts to all clear; every action is undone; another browser follows', async () => {
    await using site = await openAt(startWithAlerts(), '/', { bypassCSP: true });
    const { lab, page } = site;
    await using elsewhere = await openPage(lab);
    await elsewhere.logIn('/alerts');
    const badge = (count: number) => elsewhere.page.getByRole('link', { name: `Alerts ${count} need` });
    await badge(3).waitFor();
    await page.getByRole('link', { name: '3 need a look.' }).click();
    await expect.poll(() => page.title()).toBe('(3) Alerts – Gatehouse');
    for (const [button, confirm, state] of [
      ['Acknowledge', 'Acknowledge', 'acknowledged'],
      ['Mute', 'Mute', 'muted'],
      ['Expected', 'Mark as expected', 'expected'],
      ['Resolve', 'Resolve', 'resolved'],
    ] as const) {
      await act(page, first, button, confirm, 'I know');
      expect(await readState(lab, first)).toBe(state);
      await badge(2).waitFor();
      await expect.poll(() => rowOf(elsewhere.page, first).count()).toBe(state === 'acknowledged' ? 1 : 0);
      await page.getByRole('status').getByText(first).waitFor();
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByRole('status').getByText('Undone').waitFor();
      expect(await readState(lab, first)).toBe('open');
      await badge(3).waitFor();
      await rowOf(elsewhere.page, first)
        .getByText(/^Open, /)
        .waitFor();
    }
    await act(page, first, 'Resolve', 'Resolve', 'cleaned');
    await page.getByRole('link', { name: 'Resolved 1' }).click();
    await rowOf(page, first).getByText('cleaned').waitFor();
    await rowOf(page, first).getByRole('button', { name: 'Reopen:' }).click();
    await rowOf(page, first).waitFor({ state: 'detached' });
    expect(await readState(lab, first)).toBe('open');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await rowOf(page, first).waitFor();
    await page.getByRole('link', { name: 'To do 2' }).click();
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await page.getByLabel('Select all shown').check();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Mute: 2 alerts' }).click();
    await dialogOf(page).getByLabel('How long').selectOption('1 week');
    expect(await seriousFindings(page)).toEqual([]);
    await dialogOf(page).getByRole('button', { name: 'Mute' }).click();
    await page.getByText('No alert needs work.').waitFor();
    const { alerts } = await lab.as.admin.alerts.list({ query: { state: 'muted' } });
    expect(alerts.map(({ until }) => until)).toEqual([lab.clock.now() + 7 * day, lab.clock.now() + 7 * day]);
    await page.getByRole('link', { name: 'Overview' }).click();
    const heading = page.getByRole('heading', { level: 1, name: /All clear since .+\. 3 handled this week\./ });
    await heading.waitFor();
    await page.getByRole('region', { name: 'Needs a look' }).getByText('No alert is open.').waitFor();
    expect(await page.title()).toBe('Overview – Gatehouse');
    await elsewhere.page.getByText('No alert needs work.').waitFor();
  });

  test('two browsers agree within a second: what one does, the other shows', async () => {
    await using site = await openAt(startWithAlerts(), '/alerts');
    const { lab, page } = site;
    await using elsewhere = await openPage(lab);
    await elsewhere.logIn('/alerts');
    /** Milliseconds from the answer to `press` until the other browser shows the state; negative when it was faster. */
    const measure = async (path: string, press: () => Promise<void>, state: string) => {
      const answered = page.waitForResponse((answer) => new URL(answer.url()).pathname.endsWith(path));
      const shown = rowOf(elsewhere.page, first).getByText(state).waitFor().then(Date.now);
      const answeredAt = answered.then(Date.now);
      await press();
      return (await shown) - (await answeredAt);
    };
    const delays: number[] = [];
    for (const note of ['one', 'two', 'three', 'four']) {
      const acknowledge = () => act(page, first, 'Acknowledge', 'Acknowledge', note);
      delays.push(await measure('/acknowledge', acknowledge, note));
      const undo = () => page.getByRole('button', { name: 'Undo', exact: true }).click();
      delays.push(await measure('/undo', undo, 'Open, '));
    }
    // Half of them, because the machine may be busy with something else once.
    delays.sort((one, other) => one - other);
    expect(delays[4]).toBeLessThan(1000);
    console.log(`two browsers: ${delays.join(', ')} ms`);
  });

  test('by keys alone: in the list and in the drawer, and the focus is never lost', async () => {
    await using site = await openAt(startWithAlerts(), '/alerts', { locale: 'en-GB' });
    const { lab, page } = site;
    const { keyboard } = page;
    const titles = page.locator('.alert-title a');
    await expect.poll(() => titles.count()).toBe(3);
    const [newest = '', middle = '', oldest = ''] = await titles.allTextContents();
    await keyboard.press('j');
    expect(await isFocused(titles.nth(0))).toBe(true);
    await keyboard.press('j');
    await keyboard.press('k');
    await keyboard.press('r');
    await keyboard.type('done');
    await keyboard.press('Enter');
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    expect((await lab.as.admin.alerts.list({ query: { state: 'resolved' } })).alerts[0]?.note).toBe('done');
    // The next row has the focus.
    await expect.poll(() => isFocused(titles.nth(0))).toBe(true);
    expect(await titles.nth(0).textContent()).toBe(middle);
    await keyboard.press('u');
    await expect.poll(() => titles.first().textContent()).toBe(newest);
    await keyboard.press('k');
    await keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    await drawer.getByRole('heading', { name: newest }).waitFor();
    await keyboard.press('j');
    await drawer.getByRole('heading', { name: middle }).waitFor();
    expect(await isFocused(drawer.getByRole('heading', { level: 2 }))).toBe(true);
    await keyboard.press('m');
    await dialogOf(page).waitFor();
    await keyboard.press('Enter');
    await drawer.getByText('Muted until').first().waitFor();
    await keyboard.press('j');
    await drawer.getByRole('heading', { name: oldest }).waitFor();
    await keyboard.press('e');
    await dialogOf(page).waitFor();
    await keyboard.press('Enter');
    await drawer.getByText(/^Expected, /).waitFor();
    await keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await keyboard.press('j');
    await keyboard.press('r');
    await dialogOf(page).waitFor();
    await keyboard.press('Enter');
    await page.getByText('No alert needs work.').waitFor();
    await keyboard.press('g');
    await keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: /All clear since \d\d:\d\d\. 3 handled this week\./ }).waitFor();
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Mark as expected').waitFor();
  });

  test('another device opens an acknowledged alert again; a mute ends by time; the history takes an action back', async () => {
    await using site = await openAt(startWithAlerts([first]), '/alerts?range=1h');
    const { lab, page } = site;
    await act(page, first, 'Acknowledge', 'Acknowledge', 'I look at it');
    await rowOf(page, first).getByText('I look at it').waitFor();
    await contactFromOther(lab, first);
    await rowOf(page, first)
      .getByText(/^Open, /)
      .waitFor();
    await rowOf(page, first).getByRole('link', { name: '2 devices' }).click();
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    await drawer.getByText('Opened again: it happened again').waitFor();
    const devices = drawer.getByRole('heading', { name: 'Devices' }).locator('xpath=following-sibling::ul[1]');
    await devices.getByRole('link', { name: other }).waitFor();
    await expect.poll(() => devices.getByRole('listitem').count()).toBe(2);
    await drawer.getByRole('button', { name: 'Expected:' }).click();
    const scope = dialogOf(page).getByLabel('What it covers');
    await scope.selectOption('Its destination, for one device');
    await dialogOf(page).getByRole('combobox', { name: 'Device', exact: true }).selectOption({ label: other });
    await dialogOf(page).getByRole('button', { name: 'Mark as expected' }).click();
    // The other device is not covered.
    await drawer.getByRole('heading', { name: 'Rules that cover it' }).waitFor();
    await drawer.getByText(/^Open, /).waitFor();
    await drawer.getByRole('button', { name: 'Undo: Marked as expected' }).click();
    await drawer.getByRole('heading', { name: 'Rules that cover it' }).waitFor({ state: 'detached' });
    await drawer.getByRole('button', { name: 'Mute:' }).click();
    await dialogOf(page).getByRole('button', { name: 'Mute' }).click();
    await drawer.getByText('Muted until').first().waitFor();
    await lab.skip(day + 30_000);
    await drawer.getByText(/^Open, /).waitFor();
    expect(await readState(lab, first)).toBe('open');
  });

  test('state, kind, level, device and text are in the address and come back from it; an old link still filters', async () => {
    await using site = await openAt(startWithAlerts(), '/alerts?type=beacon');
    const { lab, browser, page } = site;
    await page.getByText('No alert matches.').waitFor();
    await page.getByLabel('Kind').selectOption('All kinds');
    await expect.poll(() => rowsOf(page).count()).toBe(3);
    await page.getByLabel('Text').fill(second);
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await page.getByLabel('Level').selectOption('Danger');
    await page.getByLabel('Kind').selectOption({ value: 'threat' });
    const { devices } = await lab.as.admin.devices.list({});
    const suspect = devices.find(({ ip }) => ip === device)?.deviceId ?? '';
    await page.getByRole('combobox', { name: 'Device', exact: true }).selectOption(suspect);
    await page.getByRole('link', { name: 'All', exact: true }).click();
    const search = `?q=${second}&level=danger&kind=threat&device=${suspect}&state=all`;
    await expect.poll(() => new URL(page.url()).search).toBe(search);
    await page.goto(browser.at(`/alerts${search}`));
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    expect(await page.getByLabel('Text').inputValue()).toBe(second);
    expect(await page.getByLabel('Level').inputValue()).toBe('danger');
    await page.getByRole('link', { name: 'Muted 0' }).click();
    await page.getByRole('link', { name: 'Show all alerts' }).click();
    await expect.poll(() => rowsOf(page).count()).toBe(3);
    await page.goto(browser.at('/alerts?device=nobody'));
    await page.getByText('No alert matches.').waitFor();
    await browser.expecting(/404/, async () => {
      await page.goto(browser.at('/alerts?alert=4711'));
      await page.getByText('This alert does not exist any more.').waitFor();
    });
  });

  test('what fails says why and can be tried again; who may only read learns why nothing can be done', async () => {
    await using site = await openAt(startWithAlerts([third]), '/alerts');
    const { lab, browser, page } = site;
    await rowOf(page, third).getByRole('button', { name: 'Resolve:' }).click();
    await dialogOf(page).getByLabel('Note').fill('kept');
    await browser.withoutAnswer('**/api/alerts/resolve', async () => {
      await dialogOf(page).getByRole('button', { name: 'Resolve' }).click();
      await dialogOf(page).getByText('The hub does not answer.').waitFor();
    });
    expect(await dialogOf(page).getByLabel('Note').inputValue()).toBe('kept');
    await dialogOf(page).getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('No alert needs work.').waitFor();
    const { alerts } = await lab.as.admin.alerts.list({});
    await lab.as.admin.alerts.reopen({ params: { id: String(alerts[0]?.id) }, body: {} });
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('1 alert stays as it is: another action followed.').waitFor();
    await using reading = await openPage(lab);
    await reading.enterAs('viewer', '/alerts');
    await reading.page.getByText('Your role may read alerts but not change them.').waitFor();
    // The sentence about the role comes before the rows do.
    await rowOf(reading.page, third).waitFor();
    const buttons = rowOf(reading.page, third).getByRole('button');
    expect(
      await buttons.evaluateAll((all) => all.map((one) => (one as unknown as { disabled: boolean }).disabled)),
    ).toEqual(Array.from({ length: 4 }, () => true));
    await reading.page.keyboard.press('j');
    await reading.page.keyboard.press('r');
    expect(await dialogOf(reading.page).count()).toBe(0);
  });
});
