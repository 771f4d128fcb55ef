// What is not kept, in the page of a device and in the settings.
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { openAt, pageWidth, startHousehold, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('a device is marked on its page, erased after a question, listed in the settings, and shown as chosen', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const { devices } = await lab.as.admin.devices.list({ query: {} });
    const device = devices.find(({ ip }) => ip === '192.168.100.23');
    await browser.logIn(`/devices/${device?.deviceId}`);
    const card = page.getByRole('region', { name: 'Not kept' });
    await card.getByRole('button', { name: 'Do not keep where this device connects' }).click();
    const question = page.getByRole('dialog');
    await question.getByText('From now on its connections are counted without destination').waitFor();
    await question.getByRole('button', { name: 'Do not keep where this device connects' }).click();
    await card.getByText('Where this device connects is not kept, as chosen.').waitFor();
    await card.getByRole('button', { name: 'Erase what was kept' }).click();
    await question.getByText('Backups, ClickHouse and stored conversations').waitFor();
    await question.getByRole('button', { name: 'Erase what was kept' }).click();
    await card.getByText('Erased connections: 1').waitFor();
    await page.getByRole('link', { name: 'Connections: 0' }).waitFor();
    expect((await lab.as.admin.connections.list({ query: { fSrc: '192.168.100.23' } })).connections).toEqual([]);
    expect(await seriousFindings(page)).toEqual([]);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await pageWidth(page)).toBeLessThanOrEqual(width);
    }
    await page.goto(browser.at('/settings?section=privacy&part=privacy'));
    const rules = page.getByRole('region', { name: 'Devices whose destinations are not kept' });
    await rules.getByText('1 device now').waitFor();
    await rules.getByLabel('Which').fill('192.168.77.0/33');
    await browser.expecting(/400/, async () => {
      await rules.getByLabel('What').selectOption('range');
      await rules.getByRole('button', { name: 'Add' }).click();
      await rules
        .getByText(/empty for guests/i)
        .first()
        .waitFor();
    });
    await rules.getByLabel('Which').fill('192.168.77.0/24');
    await rules.getByLabel('Tell threats all the same').check();
    await rules.getByRole('button', { name: 'Add' }).click();
    await rules.getByText('threats are told').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await pageWidth(page)).toBeLessThanOrEqual(width);
    }
    await page.getByTitle('Share of this period').click();
    await page.getByText('Chosen, not a gap').waitFor();
  });
});
