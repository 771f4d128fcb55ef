// The block list in the settings: what an acknowledged alert put there, what people add and remove, and its addresses.
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { isFocused, listed, openAt, openPage, pageWidth, startHousehold, withChromium } from '../support/web-lab.ts';

const path = '/settings?section=feeds&part=block-list';

withChromium(() => {
  test('an acknowledged alert is on it, an entry is added with its reason and removed, what would cut off is refused', async () => {
    await using site = await openAt(startHousehold(), null);
    const { lab, browser, page } = site;
    const { alerts } = await lab.as.admin.alerts.list({ query: { kind: 'threat' } });
    const id = alerts[0]?.id ?? 0;
    await lab.as.admin.alerts.acknowledge({ params: { id: String(id) }, body: {} });
    await browser.logIn(path);
    const card = page.getByRole('region', { name: 'Block list', exact: true });
    const entry = (value: string) => card.getByRole('listitem').filter({ hasText: value });
    await entry(listed)
      .getByRole('link', { name: `Acknowledged alert ${id}` })
      .waitFor();
    expect(await entry(listed).getByRole('button').count()).toBe(0);
    const field = card.getByLabel('Address, network or name');
    const submit = card.getByRole('button', { name: 'Add to the list' });
    await field.fill('192.168.100.0/24');
    await browser.expecting(/400/, async () => {
      await submit.click();
      await card.getByText('Must be public: the own network').waitFor();
    });
    expect(await isFocused(field)).toBe(true);
    await field.fill('198.51.100.0/24');
    await card.getByLabel('Why').fill('Phishing');
    await submit.click();
    const added = entry('198.51.100.0/24');
    await added.getByText('Phishing').waitFor();
    expect(await field.inputValue()).toBe('');
    const zone = await card.getByLabel('Response policy zone (BIND and others)').inputValue();
    expect(zone).toBe(browser.at('/api/blocklist?format=rpz'));
    expect(await (await page.request.get(zone)).text()).toContain('24.0.100.51.198.rpz-ip CNAME .');
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await pageWidth(page)).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1440, height: 900 });
    await added.getByRole('button', { name: 'Remove' }).click();
    const question = page.getByRole('dialog', { name: 'Remove 198.51.100.0/24 from the block list?' });
    await question.getByRole('button', { name: 'Remove' }).click();
    await added.waitFor({ state: 'detached' });
  });

  test('a viewer sees it and where to fetch it, and changes nothing', async () => {
    await using lab = await startHousehold();
    await lab.as.admin.blockList.add({ body: { value: 'evil.example' } });
    await using browser = await openPage(lab);
    await browser.enterAs('viewer', path);
    const card = browser.page.getByRole('region', { name: 'Block list', exact: true });
    await card.getByText('evil.example').waitFor();
    expect(await card.getByRole('button', { name: /Add|Remove/ }).count()).toBe(0);
    expect(await card.getByRole('button', { name: 'Copy' }).count()).toBe(5);
  });
});
