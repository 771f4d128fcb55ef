// What is printed of the log and of an alert, by the buttons of the page and by the command of the browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { fill } from '../support/filled-log.ts';
import { listed, openAt, startHousehold, startWebLab, styleOf, suspect, withChromium } from '../support/web-lab.ts';
import { words } from '../support/words.ts';

const { page: t, log } = words.en;

/** The visible text of the page on paper. */
const readPaper = (page: Page) => page.evaluate('document.body.innerText') as Promise<string>;

/** In place of the print dialog, the page stays as it is printed. */
const keepPrinted = `globalThis.printed = 0; globalThis.print = () => { printed += 1; }`;

/** What the browser does around printing. */
const begin = `dispatchEvent(new Event('beforeprint'))`;
const end = `dispatchEvent(new Event('afterprint'))`;

/** The number of pages in a PDF of Chromium. */
const countPages = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;

withChromium(() => {
  test('the log on paper: rows beyond the window, filters, period and coverage, and nothing of the frame', async () => {
    await using lab = await startWebLab();
    await fill(lab, 1234);
    await using site = await openAt(Promise.resolve(lab), null, { colorScheme: 'dark' });
    const { browser, page } = site;
    await page.addInitScript({ content: keepPrinted });
    await browser.logIn('/connections?fDport=443&fDportMode=exact');
    const rows = page.locator('.log tbody tr');
    await rows.first().getByRole('button').waitFor();
    await expect.poll(() => rows.count()).toBeLessThan(100);
    // The command of the browser cannot wait for more rows: it prints those that are loaded.
    // As in a browser, the event comes before the layout for paper: a layout before it would ask for more rows.
    await page.evaluate(begin);
    await expect.poll(() => rows.count()).toBe(100);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect((await readPaper(page)).slice(0, 1000)).toContain(log.printedPart('100', '1,234'));
    await page.evaluate(end);
    await page.emulateMedia({ media: 'screen' });
    await expect.poll(() => rows.count()).toBeLessThan(100);
    await page.getByRole('button', { name: t.print }).click();
    await expect.poll(() => page.evaluate('printed')).toBe(1);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect.poll(() => rows.count()).toBe(1000);
    const paper = await readPaper(page);
    const head = paper.slice(0, 1000);
    expect(head).toContain('1,234 connections');
    expect(head).toContain(log.printedPart('1,000', '1,234'));
    expect(head).toContain(t.periodNames['24h']);
    expect(head).toMatch(/\w+ \d+, 20\d\d, .* to \w+ \d+, 20\d\d, /);
    expect(head).toMatch(/Port is\s+443/);
    expect(head).toMatch(/observed/);
    expect(head).toContain(t.printedAt('').slice(0, -1));
    for (const hidden of [t.places.overview, log.columns, t.filters.clear, '×', t.account, t.search, t.print]) {
      expect([hidden, paper.split('\n').includes(hidden)]).toEqual([hidden, false]);
    }
    // A row that the window has no room for has its place on the paper, and an age is a date.
    const last = await rows.nth(999).boundingBox();
    expect(last?.height).toBeGreaterThan(10);
    expect(last?.y).toBeGreaterThan(10_000);
    expect(/\d (?:sec|min|hr)\. ago/.test(paper)).toBe(false);
    expect(await styleOf(page.locator('body'), 'color')).toBe('rgb(0, 0, 0)');
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(countPages(pdf)).toBeGreaterThan(15);
    // Every page lies on its side: the heading is not alone on one.
    expect(new Set(pdf.toString('latin1').match(/\/MediaBox \[[^\]]*\]/g))).toEqual(
      new Set(['/MediaBox [0 0 792 612]']),
    );
  });

  test('an alert on paper is alone: cause, evidence, devices and history, without buttons', async () => {
    await using site = await openAt(startHousehold(), '/alerts', { colorScheme: 'dark' });
    const { page } = site;
    await page.evaluate(keepPrinted);
    await page.getByRole('main').getByRole('listitem').filter({ hasText: listed }).getByRole('link').first().click();
    const drawer = page.getByRole('dialog', { name: t.alerts.drawer });
    await drawer.getByText(t.feeds.feed_c2).first().waitFor();
    await drawer.getByRole('button', { name: t.print }).click();
    await expect.poll(() => page.evaluate('printed')).toBe(1);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const paper = await readPaper(page);
    for (const shown of [suspect, listed, t.feeds.feed_c2, words.en.alerts.devices, words.en.alerts.history]) {
      expect(paper).toContain(shown);
    }
    // The entries of the log are folded on a screen.
    expect(paper).toContain(t.alerts.messageSent);
    expect(paper).toContain(t.printedAt('').slice(0, -1));
    expect(await page.locator('button, .button, input, nav').filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).filter({ visible: true }).count()).toBe(0);
    expect(await styleOf(drawer, 'background-color')).toBe('rgb(255, 255, 255)');
    expect(await styleOf(drawer, 'position')).toBe('static');
    await page.evaluate(end);
  });
});
