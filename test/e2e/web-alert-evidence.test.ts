// The drawer of an alert in a real browser: why it was detected, what to do, where it leads; and older alerts on demand.
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

/** Alerts of this many listed destinations, one each second. */
async function fill(lab: DetectionLab, count: number): Promise<void> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) => {
    const alert = writer.prepare(
      `INSERT INTO alert (cause, kind, target, level, state, state_at, first_at, last_at)
       VALUES (@dst, 'threat', @dst || ' 443', 1, 'open', @at, @at, @at)`,
    );
    const detection = writer.prepare(
      `INSERT INTO detection (type, detected_at, src, dst, dport, proto, threat_source, threat_confidence, alert_id)
       VALUES ('threat', @at, @device, @dst, 443, 'TCP', 'feed_drop', 'low', @alertId)`,
    );
    for (let index = 1; index <= count; index += 1) {
      const [at, dst] = [lab.clock.now() - index * 1000, `198.51.100.${index}`];
      const { lastInsertRowid } = alert.run({ dst, at });
      detection.run({ at, device, dst, alertId: lastInsertRowid });
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
    lab.routers.home.flow(flow);
    await lab.advance(20 * minute);
    await lab.advance(20 * minute);
  }
  await lab.as.admin.beacons.saveConfig({ body: {} });
  await lab.settled();
  return lab;
}

withChromium(() => {
  test('a threat shows the list, what matched, the message and what to do; a new one comes by itself', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    lab.contact(other);
    await detect(lab, [listed]);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/');
    await page.getByRole('region', { name: 'Needs a look' }).getByRole('link', { name: 'Open', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    await drawer.getByText('Feodo Tracker').waitFor();
    await drawer.getByText('Detections (1)').click();
    const shown = await drawer.textContent();
    for (const fact of ['ExampleBot', `Matched entry${listed}`, 'message delivered', 'TCP 443']) {
      expect(shown).toContain(fact);
    }
    const steps = drawer.getByRole('heading', { name: 'What to do' }).locator('xpath=following-sibling::ol[1]/li');
    expect(await steps.first().textContent()).toBe(`Ask whoever uses ${device} whether they know ${listed}:443.`);
    const feeds = drawer.getByRole('link', { name: 'Add to the allow list…' });
    expect(await feeds.getAttribute('href')).toBe(`/settings?section=feeds&allow=${listed}`);
    await page.keyboard.press('Escape');
    await expect.poll(() => drawer.count()).toBe(0);
    const titles = page.locator('.alert-title a');
    await titles.click();
    await drawer.waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => isFocused(titles)).toBe(true);
    await lab.list(other);
    await lab.poll();
    await page.clock.setFixedTime(lab.clock.now());
    await expect.poll(() => titles.count()).toBe(2);
    await page.getByRole('link', { name: 'Alerts 2 need a look' }).waitFor();
  });

  test('an alert leads to its connections in the log, all of them and no others', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    lab.contact(other);
    await detect(lab, [listed, 443], [listed, 8443]);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/alerts');
    await page.getByRole('link', { name: listed }).click();
    const of = { fSrc: device, fSrcMode: 'exact', fDst: listed, fDstMode: 'exact' };
    const open = page.getByRole('link', { name: 'Show connections' });
    await open.click();
    await page.getByRole('heading', { name: '2 connections' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(of);
    // A period before the alert would have none of them.
    const before = lab.clock.now() - 86_400_000;
    await page.goto(browser.at(`/alerts?from=${before}&to=${before + minute}`));
    await page.getByRole('link', { name: listed }).click();
    await open.click();
    await page.getByRole('heading', { name: '2 connections' }).waitFor();
  });

  test('older alerts come on demand, past the most that one request gives', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    await fill(lab, 230);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/alerts');
    const rows = page.locator('li[data-alert]');
    for (const count of [50, 100, 150, 200, 230]) {
      await expect.poll(() => rows.count()).toBe(count);
      if (count < 230) {
        await page.getByRole('button', { name: 'Show older alerts' }).click();
      }
    }
    expect(await page.getByRole('button', { name: 'Show older alerts' }).count()).toBe(0);
    expect(await rows.last().textContent()).toContain('198.51.100.230');
    // As many as one action takes.
    await page.getByLabel('Select all shown').check();
    await page.getByRole('button', { name: 'Resolve: 200 alerts' }).click();
    await page.locator('dialog.alert-action').getByRole('button', { name: 'Resolve' }).click();
    await expect.poll(() => rows.count()).toBe(30);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => rows.count()).toBe(230);
  });

  test('a regular contact shows its rhythm, and is expected from then on', async () => {
    await using site = await openAt(startBeacon(), '/alerts');
    const { lab, page } = site;
    await page.locator('.alert-title a').click();
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    await drawer.getByText('every 40 min, 11 times').waitFor();
    await drawer.getByRole('img', { name: /^11 contacts from .+ to .+$/ }).waitFor();
    const bins = drawer.getByRole('table', { name: 'Time between two contacts' }).getByRole('row');
    await expect.poll(() => bins.allTextContents()).toEqual(['IntervalCount', '40 min 10']);
    await drawer.getByRole('button', { name: 'Expected:' }).click();
    const dialog = page.locator('dialog.alert-action');
    await dialog.getByLabel('Reason').fill('its maker');
    await page.keyboard.press('Enter');
    await drawer.getByText(/^Expected, /).waitFor();
    const { rules } = await lab.as.admin.alerts.rules({});
    expect(rules).toEqual([expect.objectContaining({ effect: 'expect', reason: 'its maker', kind: 'beacon' })]);
    await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor();
  });

  test('a new device says its card, and leads to its page', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    await lab.as.admin.detection.saveConfig({ body: { newDevice: { history: true } } });
    lab.routers.home.flow({ src: '192.168.100.200', dst: other, dport: 443, proto: 'tcp' });
    await lab.poll();
    const { devices } = await lab.as.admin.devices.list({});
    const mac = devices.find(({ ip }) => ip === '192.168.100.200')?.mac ?? '';
    expect(mac).not.toBe('');
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/');
    const news = /^[1-9]\d* new devices? (?:is|are) open in the inbox\.$/;
    await page.getByRole('region', { name: 'Needs a look' }).getByText(news).waitFor();
    await page.goto(browser.at('/alerts'));
    await page.getByRole('link', { name: '192.168.100.200' }).click();
    const drawer = page.getByRole('dialog', { name: 'Alert' });
    await drawer.getByText(mac).first().waitFor();
    await drawer.getByText('If you know 192.168.100.200, add a note, so that others know it too.').waitFor();
    await drawer.getByRole('link', { name: 'Show this device' }).click();
    await page.getByRole('region', { name: 'Who it is' }).getByText(mac).first().waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Alerts', exact: true }).count()).toBe(1);
  });
});
