// The audit trail in the settings: searched, filtered, paged and exported; without events, without an answer, by keyboard.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Lab } from '../support/lab.ts';
import { isFocused, openAt, openPage, startWebLab, withChromium } from '../support/web-lab.ts';

const cardOf = (page: Page) => page.getByRole('region', { name: 'Audit trail', exact: true });

/** Makes `count` changes of the settings that succeed. */
async function makeChanges(lab: Lab<never>, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await lab.as.admin.config.saveGeneral({ body: { autoInvestigate: made % 2 === 0 } });
  }
}

/** Makes a change of the settings that the hub refuses. */
async function makeRefusedChange(lab: Lab<never>): Promise<void> {
  await lab.as.admin.config.saveGeneral({ body: { homeCountry: 'XX' } }).catch(() => undefined);
}

async function download(page: Page, button: Locator): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

withChromium(() => {
  test('a search and two filters find events; a pseudonym leads to all events that have it', async () => {
    await using site = await openAt(startWebLab(), null);
    const { lab, browser, page } = site;
    await makeChanges(lab, 1);
    await lab.as.identity(['network.read']);
    await makeRefusedChange(lab);
    await browser.logIn('/settings?section=audit');
    const card = cardOf(page);
    const rows = card.getByRole('listitem');
    await rows.first().getByRole('heading', { name: 'Login' }).waitFor();
    await expect
      .poll(() => card.getByRole('combobox', { name: 'Event' }).getByRole('option', { name: 'Read by' }).count())
      .toBe(0);
    await card.getByLabel('Outcome').selectOption('refused or failed');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByText('POST /api/config/general').waitFor();
    await rows.getByText('status: 400').waitFor();
    const who = rows.getByText('Who:').getByRole('link');
    const pseudonym = (await who.textContent()) ?? '';
    expect(pseudonym).toMatch(/^[0-9a-f]{12}$/);
    await who.click();
    await expect.poll(() => card.getByLabel('Text in an event').inputValue()).toBe(pseudonym);
    await expect.poll(() => rows.count()).toBe(3);
    await card.getByRole('combobox', { name: 'Event' }).selectOption('API identity made');
    await expect.poll(() => rows.count()).toBe(1);
    await page.reload();
    await rows.getByRole('heading', { name: 'API identity made' }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await card.getByLabel('Text in an event').fill('nothing has this');
    await card.getByRole('status').getByText('No event matches.').waitFor();
    expect(await rows.count()).toBe(0);
  });

  test('a file has all events that match, and only these, as CSV or NDJSON', async () => {
    await using site = await openAt(startWebLab(), null);
    const { lab, browser, page } = site;
    await lab.as.identity(['network.read']);
    await makeChanges(lab, 52);
    await browser.logIn('/settings?section=audit&type=api_identity_created');
    const card = cardOf(page);
    const csv = await download(page, card.getByRole('button', { name: 'Export CSV' }));
    await card.getByText('1 event was saved.').waitFor();
    expect(csv.name).toBe('audit-trail.csv');
    expect(csv.text.split('\r\n')).toEqual([
      expect.stringMatching(/^"createdAt","eventType",/),
      expect.stringMatching(/^"[\d-]+T[\d:.]+Z","api_identity_created","success",.*"\{""/),
      '',
    ]);
    await card.getByRole('combobox', { name: 'Event' }).selectOption('all');
    await expect.poll(() => new URL(page.url()).search).toBe('?section=audit');
    await expect.poll(() => card.getByText('was saved.').count()).toBe(0);
    const ndjson = await download(page, card.getByRole('button', { name: 'Export NDJSON' }));
    const lines = ndjson.text.trimEnd().split('\n');
    const { events } = await lab.as.admin.auth.auditEvents({ query: { limit: '500' } });
    expect(events.length).toBeGreaterThan(52);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(events);
    await card.getByText(`${events.length} events were saved.`).waitFor();
    await page.route('**/api/auth/audit-events*', (route) => route.abort());
    await browser.expecting(/ERR_FAILED/, async () => {
      await card.getByRole('button', { name: 'Export CSV' }).click();
      await card.getByText('The hub does not answer.').waitFor();
    });
    expect(await card.getByText('were saved.').count()).toBe(0);
  });

  test('without an answer the page says so and keeps what it shows, and a button tries again', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=audit');
    const { browser, page } = site;
    const card = cardOf(page);
    const rows = card.getByRole('listitem');
    await rows.first().waitFor();
    await page.route('**/api/auth/audit-events*', (route) => route.abort());
    await browser.expecting(/ERR_FAILED/, async () => {
      await card.getByRole('combobox', { name: 'Event' }).selectOption('Logout');
      await card.getByText('The hub does not answer.').waitFor();
    });
    await expect.poll(() => rows.count()).toBeGreaterThan(0);
    await page.unroute('**/api/auth/audit-events*');
    await card.getByRole('button', { name: 'Try again' }).click();
    await card.getByText('No event matches.').waitFor();
    expect(await card.getByText('The hub does not answer.').count()).toBe(0);
  });

  test('by keyboard alone events are searched and older ones shown; the focus stays at the button', async () => {
    await using site = await openAt(startWebLab(), null);
    const { lab, browser, page } = site;
    await makeRefusedChange(lab);
    await makeChanges(lab, 120);
    await browser.logIn('/settings?section=audit');
    const card = cardOf(page);
    const rows = card.getByRole('listitem');
    const older = card.getByRole('button', { name: 'Show older events' });
    await expect.poll(() => rows.count()).toBe(50);
    await older.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => rows.count()).toBe(100);
    await expect.poll(() => isFocused(older)).toBe(true);
    await card.getByLabel('Text in an event').focus();
    await page.keyboard.type('/API/CONFIG');
    await page.keyboard.press('Tab');
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('/API/CONFIG');
    await expect.poll(() => rows.count()).toBe(50);
    await page.keyboard.press('Tab');
    expect(await isFocused(card.getByLabel('Outcome'))).toBe(true);
    await page.keyboard.press('End');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByText('refused or failed').waitFor();
  });

  test('whoever may not read the trail is told so', async () => {
    await using lab = await startWebLab();
    await using browser = await openPage(lab);
    await browser.enterAs('viewer', '/settings?section=audit');
    await browser.page.getByText('You do not have permission to see this.').waitFor();
    expect(await cardOf(browser.page).count()).toBe(0);
  });
});
