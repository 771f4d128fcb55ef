// The trial of beacon settings in a real browser: by keyboard, said to screen readers, in both languages, on a phone.
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { type DetectionLab, device, startDetectionLab } from '../support/detection-lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { latinLabels, listed, openAt, pageWidth, startWebLab, withChromium } from '../support/web-lab.ts';

const minute = 60_000;

/** A device that calls home every forty minutes, with settings that find nothing. */
async function startUnfound(): Promise<DetectionLab> {
  const hub = { webFolder: builtWeb(), pollIntervalMs: 20 * minute };
  const lab = await startDetectionLab({ router: 'vendor_b', hub });
  await lab.as.admin.beacons.saveConfig({ body: { minObs: 100, scanIntervalMs: 24 * 60 * minute } });
  for (let contact = 0; contact < 12; contact += 1) {
    lab.routers.home.flow({ src: device, dst: listed, dport: 443, proto: 'tcp', lastsMs: 25 * minute, ends: 'silent' });
    await lab.advance(20 * minute);
    await lab.advance(20 * minute);
  }
  return lab;
}

withChromium(() => {
  test('other settings are tried by keyboard: counts are said, the rows say why, and nothing is saved', async () => {
    await using site = await openAt(startUnfound(), '/settings?section=alerts');
    const { lab, browser, page } = site;
    const card = page.getByRole('region', { name: 'Regular beacons', exact: true });
    await card.getByLabel('Contacts that are needed').fill('6');
    const button = card.getByRole('button', { name: 'Try on the stored days' });
    await button.focus();
    await page.keyboard.press('Enter');
    await card.getByRole('status').getByText('Beacons told with these settings: 1. With the saved ones: 0.').waitFor();
    const row = card.locator('.told-beacons li');
    expect(await row.count()).toBe(1);
    expect(await row.textContent()).toMatch(
      new RegExp(`${device} → ${listed}.*every 40 min, \\d+ times.*only with these settings`),
    );
    expect(await seriousFindings(page)).toEqual([]);
    expect((await lab.as.admin.beacons.config({})).config.minObs).toBe(100);
    expect((await lab.as.admin.detection.log({})).logs).toEqual([]);
    // What cannot be saved cannot be tried either, and the last counts go.
    await card.getByLabel('Shortest interval in seconds').fill('90');
    await card.getByLabel('Longest interval in minutes').fill('1');
    await browser.expecting(/400/, async () => {
      await button.click();
      await card.getByText(/must be less than maxIntervalMs/).waitFor();
    });
    expect(await row.count()).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await button.click();
    await card.getByText('Neither these settings nor the saved ones').waitFor();
    expect(await pageWidth(page)).toBe(390);
  });

  test('in Japanese, and on a hub that has no times stored yet', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=alerts');
    const { page } = site;
    await page.evaluate("localStorage.setItem('gatehouse.language', 'ja')");
    await page.reload();
    await page.getByRole('button', { name: '保存されている日数で試す' }).click();
    await page.getByText('通信の時刻がまだ保存されていないため').waitFor();
    expect(await latinLabels(page.locator('.section button'))).toEqual([]);
  });
});
