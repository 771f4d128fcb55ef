// The inbox of detections in a real browser: what is in it and why, what comes meanwhile, what is dismissed.
import path from 'node:path';
import { expect, test } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { type DetectionLab, device, startDetectionLab } from '../support/detection-lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { isFocused, listed, openAt, openPage, withChromium } from '../support/web-lab.ts';

const minute = 60_000;
const other = '203.0.113.81';

/** Contacts, then what they contacted is listed. */
async function detect(lab: DetectionLab, ...targets: [dst: string, port?: number][]): Promise<void> {
  for (const [dst, port] of targets) {
    lab.contact(dst, port);
  }
  await lab.poll();
  for (const [dst] of targets) {
    await lab.list(dst);
  }
  await lab.poll();
}

/** Says that this many listed destinations were contacted, one each second. */
async function fill(lab: DetectionLab, count: number): Promise<void> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) => {
    const insert = writer.prepare(
      `INSERT INTO detection (type, detected_at, src, dst, dport, proto, threat_source, threat_confidence)
       VALUES ('threat', ?, ?, ?, 443, 'TCP', 'feed_drop', 'low')`,
    );
    for (let index = 1; index <= count; index += 1) {
      insert.run(lab.clock.now() - index * 1000, device, `198.51.100.${index}`);
    }
  });
  await db.close();
}

/** A device that calls home every forty minutes, and is found. */
async function startBeacon(): Promise<DetectionLab> {
  const hub = { webFolder: builtWeb(), pollIntervalMs: 20 * minute };
  const lab = await startDetectionLab({ router: 'vendor_b', hub });
  for (let contact = 0; contact < 11; contact += 1) {
    const flow = { src: device, dst: listed, dport: 443, proto: 'tcp', lastsMs: 25 * minute, ends: 'silent' } as const;
    lab.routers.home.control.flow(flow);
    await lab.advance(20 * minute);
    await lab.advance(20 * minute);
  }
  await lab.as.admin.beacons.saveConfig({ body: {} });
  await lab.settled();
  return lab;
}

withChromium(() => {
  test('a threat shows the list, what matched and the message; what comes meanwhile waits to be asked for', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    lab.contact(other);
    await detect(lab, [listed]);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn();
    await page.getByRole('link', { name: 'Alerts 1 needs a look' }).click();
    expect(page.url()).toBe(browser.at('/alerts'));
    const title = page.getByRole('link', { name: /^Known-bad destination: / });
    await title.click();
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    await drawer.getByText('Feodo Tracker').waitFor();
    const shown = await drawer.textContent();
    for (const fact of ['ExampleBot', `Matched entry${listed}`, 'message delivered', 'TCP 443']) {
      expect(shown).toContain(fact);
    }
    const steps = drawer.getByRole('heading', { name: 'What to do' }).locator('xpath=following-sibling::ol[1]/li');
    expect(await steps.first().textContent()).toBe(`Ask whoever uses ${device} whether they know ${listed}:443.`);
    const feeds = drawer.getByRole('link', { name: 'Settings, threat feeds' });
    expect(await feeds.getAttribute('href')).toBe('/settings?section=feeds');
    await page.keyboard.press('Escape');
    await expect.poll(() => drawer.count()).toBe(0);
    expect(await isFocused(title)).toBe(true);
    await lab.list(other);
    await lab.poll();
    await page.clock.setFixedTime(lab.clock.now());
    await page.getByRole('button', { name: '1 new: show' }).click();
    await expect.poll(() => title.count()).toBe(2);
    expect(await page.getByRole('button', { name: /new: show$/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Alerts 2 need a look' }).waitFor();
  });

  test('an alert leads to its connections in the log, all of them and no others', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    lab.contact(other);
    await detect(lab, [listed, 443], [listed, 8443]);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/alerts');
    await page.getByRole('link', { name: /^Known-bad destination/ }).click();
    await page.getByRole('link', { name: 'Show connections' }).click();
    await page.getByRole('heading', { name: '2 connections' }).waitFor();
    const of = { fSrc: device, fSrcMode: 'exact', fDst: listed, fDstMode: 'exact' };
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(of);
  });

  test('kinds are in the address; an alert that is not shown says what to do; older ones come on demand', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    await fill(lab, 130);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/alerts?type=beacon&open=1');
    await page.getByText('No alert in this period matches the filters.').waitFor();
    await page.getByRole('dialog').getByText('Choose a longer period, or all kinds, levels and devices.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Kind' }).getByRole('link', { name: 'Known-bad destinations' }).click();
    expect(new URL(page.url()).search).toBe('?type=threat');
    const rows = page.getByRole('main').getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(100);
    await page.getByRole('button', { name: 'Show older alerts' }).click();
    await expect.poll(() => rows.count()).toBe(130);
    expect(await page.getByRole('button', { name: 'Show older alerts' }).count()).toBe(0);
    expect(await rows.last().textContent()).toContain('198.51.100.130');
    await page.goBack();
    await page.getByText('No alert in this period matches the filters.').waitFor();
    await page.getByRole('link', { name: 'Alerts 130 need a look' }).waitFor();
  });

  test('a level and a device stand in the address; what does not fit is not called nothing', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    const { routers, as } = lab;
    await as.admin.detection.saveConfig({ body: { newDevice: { history: true } } });
    routers.home.control.flow({ src: '192.168.100.200', dst: other, dport: 443, proto: 'tcp' });
    await detect(lab, [listed]);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/alerts');
    const rows = page.getByRole('main').getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByLabel('Level').selectOption('Danger');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.textContent()).toContain(listed);
    const { devices } = await as.admin.devices.list({});
    const { deviceId = '' } = devices.find(({ ip }) => ip === '192.168.100.200') ?? {};
    await page.getByLabel('Device').selectOption(deviceId);
    await page.getByText('No alert in this period matches the filters.').waitFor();
    await page.getByLabel('Level').selectOption('All levels');
    await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('192.168.100.200')]);
    expect(new URL(page.url()).search).toBe(`?device=${deviceId}`);
    // A new one of another device is not announced here; one of this device is.
    routers.home.control.flow({ src: '192.168.100.201', dst: other, dport: 443, proto: 'tcp' });
    routers.home.control.flow({ src: '192.168.100.200', dst: listed, dport: 443, proto: 'tcp', lastsMs: 90_000 });
    await lab.poll();
    await lab.list(listed);
    await lab.poll();
    await page.getByRole('button', { name: /^1 new/ }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Level').selectOption('Warning');
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(2);
    await page.goto(browser.at('/alerts?device=nobody'));
    await page.getByText('No alert in this period matches the filters.').waitFor();
  });

  test('a regular contact is dismissed after a question; refused, it says why and can be tried again', async () => {
    await using site = await openAt(startBeacon(), '/alerts');
    const { lab, browser, page } = site;
    await page.getByRole('link', { name: /^Regular beacon: / }).click();
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    await drawer.getByText('every 40 min, 11 times').waitFor();
    await drawer.getByRole('img', { name: /^11 contacts from .+ to .+$/ }).waitFor();
    const bins = drawer.getByRole('table', { name: 'Time between two contacts' }).getByRole('row');
    expect(await bins.allTextContents()).toEqual(['TimeHow often', '40 min 10']);
    const dismiss = drawer.getByRole('button', { name: 'Dismiss' });
    await dismiss.click();
    await drawer.getByRole('group', { name: /permanently/ }).waitFor();
    // At once, as fast as a person who changes their mind: nothing is dismissed.
    await page.keyboard.press('Escape');
    await drawer.getByRole('group', { name: /permanently/ }).waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(dismiss)).toBe(true);
    await dismiss.click();
    await browser.withoutAnswer('**/api/beacons/*/dismiss', async () => {
      await dismiss.click();
      expect(await drawer.getByRole('alert').textContent()).toMatch(/^The hub does not answer\./);
    });
    expect((await lab.as.admin.beacons.list({})).beacons).toHaveLength(1);
    await dismiss.click();
    await drawer.getByText('Dismissed. It is not reported again.').waitFor();
    expect((await lab.as.admin.beacons.list({})).beacons).toEqual([]);
    await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('region', { name: 'Needs a look' }).getByText('Nothing was detected').waitFor();
  });

  test('a destination that is listed and contacted regularly is one entry, which who may only read cannot dismiss', async () => {
    await using lab = await startBeacon();
    await lab.list(listed);
    await lab.advance(20 * minute);
    await using browser = await openPage(lab);
    const { page } = browser;
    const { logs } = await lab.as.admin.detection.log({});
    expect(logs.map(({ type }) => type)).toEqual(['threat', 'beacon']);
    await browser.enterAs('viewer', `/alerts?open=${logs[1]?.id}`);
    const title = page.getByRole('link', { name: /^Known-bad destination: / });
    await title.waitFor();
    expect(await page.getByRole('main').getByRole('listitem').filter({ hasText: '2 detections' }).count()).toBe(1);
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    await drawer.getByText('every 40 min, 11 times').waitFor();
    await drawer.getByText('Feodo Tracker').waitFor();
    expect(await drawer.getByRole('button').allTextContents()).toEqual(['Close']);
    await page.getByRole('link', { name: 'Alerts 1 needs a look' }).waitFor();
    await page.goto(browser.at('/'));
    await page.getByRole('region', { name: 'Needs a look' }).getByRole('listitem').waitFor();
    await title.waitFor();
  });

  test('a new device says its card, and leads to its page', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    await lab.as.admin.detection.saveConfig({ body: { newDevice: { history: true } } });
    lab.routers.home.control.flow({ src: '192.168.100.200', dst: other, dport: 443, proto: 'tcp' });
    await lab.poll();
    const { devices } = await lab.as.admin.devices.list({});
    const mac = devices.find(({ ip }) => ip === '192.168.100.200')?.mac ?? '';
    expect(mac).not.toBe('');
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/alerts');
    await page.getByRole('link', { name: /^New device: / }).click();
    await page.getByRole('dialog', { name: 'Alert' }).getByText(mac).waitFor();
    await page.getByText('If you know 192.168.100.200, add a note, so that others know it too.').waitFor();
    await page.getByRole('link', { name: 'Show this device' }).click();
    await page.getByRole('dialog', { name: 'Device' }).getByText(mac).first().waitFor();
    expect(await page.getByRole('link', { name: 'Alerts', exact: true }).count()).toBe(1);
  });
});
