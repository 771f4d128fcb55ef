// The drawer of a connection in a real browser: narrow the log by a fact, the note of the device, the manual look-up.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startThreatLab } from '../support/threat-lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { openAt, openPage, shownTotal, startHousehold, withChromium } from '../support/web-lab.ts';

const device = '192.168.100.31';
const open = (src: string, dst: string, dport = 443) => `open=${encodeURIComponent([src, dst, dport, 'TCP'].join())}`;

/** A line of the facts. */
const factOf = (page: Page, name: string) =>
  page.getByRole('dialog', { name: 'Connection' }).locator('dl > div', { has: page.getByText(name, { exact: true }) });

withChromium(() => {
  test('"only this" and "not this" narrow the log by a fact and keep the other filters; the two leave nothing out', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const view = `/connections?fProto=TCP&fProtoMode=exact&${open(device, '198.51.100.200', 993)}`;
    await browser.logIn(view);
    const all = await shownTotal(page);
    const hours = page.locator('.hours .axis span');
    await hours.first().waitFor();
    expect(new Set(await hours.allTextContents()).size).toBe(2);
    const facts = [
      { name: 'Organisation', column: 'fOrg', value: 'Media & Sons <AG>' },
      { name: 'Country', column: 'fCountry', value: 'JP' },
      { name: 'Destination', column: 'fDst', value: '198.51.100.200' },
      { name: 'Port', column: 'fDport', value: '993' },
      { name: 'Device', column: 'fSrc', value: device },
    ];
    for (const { name, column, value } of facts) {
      const totals = [];
      for (const [words, mode] of [
        ['only this', 'exact'],
        ['not this', 'isNot'],
      ] as const) {
        await page.goto(browser.at(view));
        await factOf(page, name).getByRole('link', { name: words }).click();
        await page.getByRole('dialog', { name: 'Connection' }).waitFor({ state: 'detached' });
        const { searchParams } = new URL(page.url());
        expect([searchParams.get(column), searchParams.get(`${column}Mode`)]).toEqual([value, mode]);
        expect([searchParams.get('fProto'), searchParams.get('open')]).toEqual(['TCP', null]);
        const query = { fProto: 'TCP', [column]: value, [`${column}Mode`]: mode };
        const { total } = await lab.as.admin.connections.list({ query });
        await expect.poll(() => shownTotal(page)).toBe(total);
        totals.push(total);
      }
      expect([name, totals[0], (totals[0] ?? 0) + (totals[1] ?? 0)]).toEqual([name, expect.toSatisfy(Boolean), all]);
    }
    await page.goto(browser.at(view));
    await page.getByRole('link', { name: 'Not this destination' }).click();
    await page.getByRole('button', { name: 'Remove the filter: Destination is not 198.51.100.200' }).waitFor();
  });

  test('a connection is copied, and where the browser forbids the clipboard its facts are selected instead', async () => {
    await using site = await openAt(startHousehold(), null);
    const { browser, page } = site;
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await browser.logIn(`/connections?${open(device, '198.51.100.200', 993)}`);
    const drawer = page.getByRole('dialog', { name: 'Connection' });
    await drawer.getByRole('button', { name: 'Copy' }).click();
    await drawer.getByRole('status').filter({ hasText: 'Selected: copy it' }).waitFor();
    expect(await page.evaluate('String(getSelection())')).toContain('198.51.100.200');
  });

  test('a protocol without ports shows none', async () => {
    await using lab = await startHousehold();
    const dst = '198.51.100.201';
    lab.routers.home.flow({ src: device, dst, dport: 0, proto: 'icmp' });
    await lab.poll();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn(`/connections?fDst=${dst}`);
    const row = page.locator('.log tr', { hasText: 'ICMP' });
    await expect.poll(() => row.locator('td.dport').textContent()).toBe('—');
    await row.getByRole('button').click();
    const drawer = page.getByRole('dialog', { name: 'Connection' });
    await expect.poll(() => drawer.getByRole('heading', { level: 2 }).textContent()).toMatch(new RegExp(`${dst}$`));
    expect(await factOf(page, 'Port').count()).toBe(0);
  });

  test('the note of the device is read and written in the drawer; what could not be saved stays as it was typed', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const { connections } = await lab.as.admin.connections.list({ query: { fSrc: device } });
    const deviceId = String(connections[0]?.srcDeviceId);
    await lab.as.admin.notes.write({ body: { deviceId, note: 'In the <b>attic</b>' } });
    await browser.logIn(`/connections?${open(device, '198.51.100.200', 993)}`);
    const note = factOf(page, 'Note');
    await note.getByText('In the <b>attic</b>').waitFor();
    await note.getByRole('button', { name: /^Edit/ }).click();
    await note.getByRole('textbox').fill('In the cellar');
    await browser.withoutAnswer('**/api/notes', async () => {
      await note.getByRole('button', { name: 'Save' }).click();
      await note.getByText('The hub does not answer.').waitFor();
    });
    expect(await note.getByRole('textbox').inputValue()).toBe('In the cellar');
    await note.getByRole('button', { name: 'Save' }).click();
    await note.getByText('In the cellar').waitFor();
    expect((await lab.as.admin.notes.list({})).notes[deviceId]).toBe('In the cellar');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Connection' }).waitFor({ state: 'detached' });
  });

  test('a look-up says what leaves and to whom before anything does; answers and refusals are words', async () => {
    await using lab = await startThreatLab({ router: true, hub: { webFolder: builtWeb() } });
    for (const dst of ['9.9.9.9', '1.1.1.1']) {
      lab.routers.home.flow({ src: device, dst, dport: 443, proto: 'tcp' });
    }
    await lab.poll();
    const keys = { rep_a: lab.feeds.keys.abuseipdb, rep_b: 'not-its-key' };
    await lab.as.admin.threat.saveManualThreat({ body: { keys } });
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn(`/connections?${open(device, '9.9.9.9')}`);
    const drawer = page.getByRole('dialog', { name: 'Connection' });
    await drawer.getByText('Ask a reputation service').click();
    await drawer.getByText('The address 9.9.9.9 and your API key are sent').waitFor();
    await drawer.getByLabel('AbuseIPDB (api.abuseipdb.com)').waitFor();
    await drawer.getByText('OTX: no API key, so it cannot be asked.').waitFor();
    const settings = drawer.getByRole('link', { name: /^Save one in the settings.*OTX$/ });
    expect(await settings.getAttribute('href')).toBe('/settings?section=feeds');
    expect([...lab.asked('abuseipdb'), ...lab.asked('virustotal')]).toEqual([]);
    await drawer.getByRole('button', { name: 'Send 9.9.9.9' }).click();
    await drawer.getByText('Example Hosting').waitFor();
    await drawer.getByText(/^answered/).waitFor();
    await drawer.getByText('The service refused the API key. Save another one in the settings. (HTTP 40').waitFor();
    expect([lab.asked('abuseipdb'), lab.asked('virustotal'), lab.asked('otx')].map(({ length }) => length)).toEqual([
      1, 1, 0,
    ]);
    await drawer.getByRole('button', { name: 'Send 9.9.9.9' }).click();
    await drawer.getByText(/^answered .*, so it was not asked again$/).waitFor();
    await page.goto(browser.at(`/connections?${open(device, '1.1.1.1')}`));
    await drawer.getByText('Ask a reputation service').click();
    await drawer.getByLabel('VirusTotal (www.virustotal.com)').uncheck();
    await drawer.getByRole('button', { name: 'Send 1.1.1.1' }).click();
    await drawer.getByText('You can ask again in 15 sec').waitFor();
    expect(lab.asked('abuseipdb')).toHaveLength(1);
    await page.context().clearCookies();
    await browser.enterAs('viewer', `/connections?${open(device, '9.9.9.9')}`);
    await factOf(page, 'Destination').waitFor();
    expect(await drawer.getByRole('button', { name: 'Ask a reputation service' }).isDisabled()).toBe(true);
    await drawer.getByText('Your role does not allow this.').waitFor();
  });
});
