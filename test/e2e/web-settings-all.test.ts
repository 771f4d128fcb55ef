// The forms of the settings that are made from schemas: changed, saved, shown again; refused at the field.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startMesh } from '#simulators/mesh/access-point.ts';
import { seriousFindings } from '../support/axe.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  isFocused,
  latinLabels,
  listed,
  openAt,
  openPage,
  pageWidth,
  startHousehold,
  startWebLab,
  withChromium,
} from '../support/web-lab.ts';

const shownSections = ['sources', 'alerts', 'feeds', 'chat', 'general', 'backups', 'sign-in', 'audit'];

const cardOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function save(card: Locator): Promise<void> {
  await card.getByRole('button', { name: 'Save', exact: true }).click();
  await card.getByText('Saved.', { exact: true }).waitFor();
}

/** Saves, and waits until the field says `reason`: it has the focus and is marked, and no other text says it. */
async function expectRefused(card: Locator, field: Locator, reason: string | RegExp): Promise<void> {
  await card.getByRole('button', { name: 'Save', exact: true }).click();
  await card.getByText(reason).waitFor();
  await expect.poll(() => isFocused(field)).toBe(true);
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const said = await card.page().locator(`[id="${ids[0]}"]`).textContent();
  expect(said).toMatch(reason);
  await expect.poll(() => card.getByText(reason).count()).toBe(1);
}

withChromium(() => {
  test('logs: a file elsewhere is refused at its field; what is saved is shown again, with how its reader is doing', async () => {
    using folder = temporaryFolder();
    await using site = await openAt(startWebLab({ logPathPrefixes: [folder.path] }), '/settings?section=sources');
    const { lab, browser, page } = site;
    const card = cardOf(page, 'Logs that are followed');
    const source = card.getByRole('group', { name: 'Name server' });
    const file = source.getByLabel('File');
    await source.getByLabel('Follow this log').check();
    await browser.expecting(/400/, () => expectRefused(card, file, /^Is missing: say which file to follow$/));
    await file.fill('/etc/passwd');
    await browser.expecting(/400/, () => expectRefused(card, file, /^Must be a file below/));
    await file.fill(`${folder.path}/dns.log`);
    await save(card);
    expect(await file.getAttribute('aria-invalid')).toBeNull();
    expect((await lab.as.admin.config.dataSources({})).dns).toMatchObject({
      enabled: true,
      logFile: `${folder.path}/dns.log`,
    });
    await lab.settled();
    await page.reload();
    await source.getByText('Waits for the file').waitFor();
    expect(await file.inputValue()).toBe(`${folder.path}/dns.log`);
    expect(await source.getByLabel('Follow this log').isChecked()).toBe(true);
  });

  test('look-ups: each says who learns what; a secret is stored and never shown, and can be deleted', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=sources');
    const { lab, browser, page } = site;
    const card = cardOf(page, 'Look-ups beyond the hub');
    const names = card.getByRole('group', { name: 'Names of addresses (PTR)' });
    const places = card.getByRole('group', { name: 'Places of addresses' });
    await names.getByText('The addresses go to a name server').waitFor();
    await names.getByLabel('Name server').fill('dns.example');
    await browser.expecting(/400/, () =>
      expectRefused(card, names.getByLabel('Name server'), 'Must be the IP address of a name server'),
    );
    await names.getByLabel('Name server').fill('192.168.100.1');
    await names.getByLabel('Ask for names').check();
    await places.getByLabel('Address of the service').fill('https://geo.example/{ip}');
    await places.getByLabel('Token', { exact: true }).fill('secret');
    await save(card);
    await places.getByText('Saved. Leave empty').waitFor();
    await page.reload();
    expect(await names.getByLabel('Name server').inputValue()).toBe('192.168.100.1');
    expect(await names.getByLabel('Ask for names').isChecked()).toBe(true);
    expect(await places.getByLabel('Token', { exact: true }).inputValue()).toBe('');
    expect(await lab.as.admin.config.lookups({})).toMatchObject({
      ptr: { enabled: true, resolver: '192.168.100.1' },
      geo: { enabled: false, url: 'https://geo.example/{ip}', tokenSet: true },
    });
    await places.getByLabel('Delete the stored token').check();
    await save(card);
    await places.getByText('Not saved yet.').waitFor();
    expect((await lab.as.admin.config.lookups({})).geo.tokenSet).toBe(false);
  });

  test('mesh: it is logged in to before it is saved, and given up again', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=sources');
    const { lab, browser, page } = site;
    await using mesh = await startMesh({ clock: lab.clock });
    const card = cardOf(page, 'Mesh access point');
    const submit = card.getByRole('button', { name: 'Log in and save' });
    await card.getByText('Not set up').waitFor();
    await card.getByLabel('Address', { exact: true }).fill(mesh.url.host);
    await card.getByLabel('Login name').fill(mesh.credentials.user);
    await card.getByLabel('Password').fill('wrong');
    await browser.expecting(/401/, async () => {
      await submit.click();
      await card.locator('.problem').waitFor();
    });
    await card.getByLabel('Password').fill(mesh.credentials.password);
    await submit.click();
    await card.getByText('Saved.', { exact: true }).waitFor();
    await card.getByText('Connected', { exact: true }).waitFor();
    await page.reload();
    expect(await card.getByLabel('Address', { exact: true }).inputValue()).toBe(mesh.url.host);
    await card.getByRole('button', { name: 'Stop using it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop using it' }).click();
    await card.getByText('Not set up').waitFor();
    expect(await lab.as.admin.mesh.network({})).toMatchObject({ state: 'off' });
  });

  test('detection: which goes where, and what is a regular contact, in units of people', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=alerts');
    const { lab, browser, page } = site;
    const channels = cardOf(page, 'Where detections go');
    const devices = channels.getByRole('group', { name: 'New devices' });
    await devices.getByLabel('Send to the chat').uncheck();
    await save(channels);
    const beacons = cardOf(page, 'Regular beacons');
    await beacons.getByLabel('Shortest interval in seconds').fill('90');
    await beacons.getByLabel('Longest interval in minutes').fill('1');
    await browser.expecting(/400/, () =>
      expectRefused(beacons, beacons.getByLabel('Shortest interval in seconds'), 'Must be less than maxIntervalMs'),
    );
    await beacons.getByLabel('Longest interval in minutes').fill('2.5');
    const domains = beacons.getByLabel('Harmless names, one per line');
    await domains.fill('example.org\n\nnot a name');
    await browser.expecting(/400/, () => expectRefused(beacons, domains, 'Line 2 must be a domain name'));
    await domains.fill('example.org');
    await save(beacons);
    const { config } = await lab.as.admin.beacons.config({});
    expect(config).toMatchObject({ minIntervalMs: 90_000, maxIntervalMs: 150_000, whitelistDomains: ['example.org'] });
    expect((await lab.as.admin.detection.config({})).config).toMatchObject({
      newDevice: { chat: false, history: true },
      threat: { chat: true, history: true },
    });
    await page.reload();
    expect(await beacons.getByLabel('Longest interval in minutes').inputValue()).toBe('2.5');
    expect(await domains.inputValue()).toBe('example.org');
    expect(await devices.getByLabel('Send to the chat').isChecked()).toBe(false);
  });

  test('allow list: an alert of a threat list hands its destination over; it is asked for before it is lost', async () => {
    await using site = await openAt(startHousehold(), '/alerts?kind=threat');
    const { lab, browser, page } = site;
    await page
      .getByRole('link', { name: new RegExp(listed) })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('link', { name: 'Add to the allow list…' }).click();
    const card = cardOf(page, 'Allow list');
    const field = card.getByLabel('Addresses, ranges or names, one per line');
    await expect.poll(() => isFocused(field)).toBe(true);
    expect([await field.inputValue(), new URL(page.url()).searchParams.get('allow')]).toEqual([listed, null]);
    await card.getByText(`${listed} was added below. It is allowed when you save.`).waitFor();
    await page.getByRole('link', { name: 'General' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay here' }).click();
    await field.fill(`${listed}\n192.168.1.1`);
    await browser.expecting(/400/, () => expectRefused(card, field, 'Line 2 must be a public address'));
    await field.fill(`example.org\n${listed}`);
    await save(card);
    expect((await lab.as.admin.threat.feedsConfig({})).allowList).toEqual(['example.org', listed]);
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe(`example.org\n${listed}`);
  });

  test('what a role may not change is disabled or withheld, and the page says so', async () => {
    await using lab = await startHousehold();
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.enterAs('viewer', '/alerts?kind=threat');
    await page
      .getByRole('link', { name: new RegExp(listed) })
      .first()
      .click();
    const button = page.getByRole('dialog').getByRole('button', { name: 'Add to the allow list…' });
    expect(await button.isDisabled()).toBe(true);
    await page.getByRole('dialog').getByText('Your role does not allow this.').first().waitFor();
    for (const section of ['feeds', 'sources', 'alerts']) {
      await page.goto(browser.at(`/settings?section=${section}`));
      await page.getByText('You do not have permission to see this.').waitFor();
      expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    }
  });

  test('admin token: what replacing it does is said before; the new one is shown once; a wrong password ends nothing', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=sign-in');
    const { lab, browser, page } = site;
    const card = cardOf(page, 'Admin token');
    const password = card.getByLabel('Login password');
    const submit = card.getByRole('button', { name: 'Replace the admin token' });
    await card.getByText('The hub refuses the old token at once and ends its live streams.').waitFor();
    await card.getByText('Sessions of browsers stay.').waitFor();
    await password.fill('wrong');
    await browser.expecting(/401/, async () => {
      await submit.click();
      await card.locator('.problem').waitFor();
    });
    expect(await card.getByLabel('New admin token').count()).toBe(0);
    await lab.as.admin.routers.list({});
    await password.fill(lab.password);
    await submit.click();
    const token = await card.getByLabel('New admin token').inputValue();
    await card.getByText('It is shown only once.').waitFor();
    const headers = { 'x-admin-token': token };
    const { status } = await fetch(new URL('/api/routers', lab.url), { headers });
    expect([status, await password.inputValue()]).toEqual([200, '']);
    await expect(lab.as.admin.routers.list({})).rejects.toMatchObject({ status: 401 });
    await page.reload();
    await submit.waitFor();
    expect(await card.getByLabel('New admin token').count()).toBe(0);
    expect(await page.content()).not.toContain(token);
  });

  test('by keyboard alone a switch, a number and a list are changed and saved', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=alerts');
    const { lab, page } = site;
    const beacons = cardOf(page, 'Regular beacons');
    const tabTo = async (wanted: Locator) => {
      for (let presses = 0; presses < 60 && !(await isFocused(wanted)); presses += 1) {
        await page.keyboard.press('Tab');
      }
      expect(await isFocused(wanted)).toBe(true);
    };
    await beacons.waitFor();
    await tabTo(beacons.getByLabel('Look for them'));
    await page.keyboard.press('Space');
    await tabTo(beacons.getByLabel('Contacts that are needed'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('12');
    await tabTo(beacons.getByLabel('Harmless organisations, one per line'));
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nExample Ltd');
    await tabTo(beacons.getByRole('button', { name: 'Save' }));
    await page.keyboard.press('Enter');
    await beacons.getByText('Saved.', { exact: true }).waitFor();
    const { config } = await lab.as.admin.beacons.config({});
    expect(config).toMatchObject({ enabled: false, minObs: 12 });
    expect(config.orgAllowlist.at(-1)).toBe('Example Ltd');
  });

  test.each(['light', 'dark'] as const)(
    'on a phone in %s no form is wider than the page, axe finds nothing serious, and Japanese is whole',
    async (colorScheme) => {
      const phone = { viewport: { width: 390, height: 844 }, bypassCSP: true, colorScheme };
      await using site = await openAt(startWebLab(), '/settings?section=sources', phone);
      const { browser, page } = site;
      const look = async () => {
        expect(await pageWidth(page)).toBe(390);
        expect(await seriousFindings(page)).toEqual([]);
      };
      for (const section of shownSections) {
        await page.goto(browser.at(`/settings?section=${section}`));
        await page
          .getByRole('button', { name: /^(?:Save|Export CSV)$/ })
          .first()
          .waitFor();
        await look();
      }
      await page.evaluate("localStorage.setItem('gatehouse.language', 'ja')");
      for (const section of shownSections) {
        await page.goto(browser.at(`/settings?section=${section}`));
        await page
          .getByRole('button', { name: /^(?:保存|CSV で書き出し)$/ })
          .first()
          .waitFor();
        await look();
        const names =
          /Gatehouse|NDJSON|HTTP|dnsmasq|Yamaha|Suricata|OIDC|MONITOR_\w+|https|ipv[46]|json|Spamhaus|DROP|abuse|ThreatFox|URLhaus|Feodo|Tracker|AbuseIPDB|VirusTotal|English|DHCP|RDAP/g;
        expect(await latinLabels(page.locator('.section :is(label, legend, h2, button)'), names)).toEqual([]);
      }
    },
  );
});
