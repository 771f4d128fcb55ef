// The search finds settings in a real browser, by English and Japanese words, and leads to the card of each.
import { expect, test } from 'vitest';
import { openAt, openPage, startWebLab, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('a word leads to the card of a setting, which has the focus; the other language finds it too', async () => {
    await using site = await openAt(startWebLab(), '/');
    const { page } = site;
    const search = page.getByRole('dialog', { name: 'Search' });
    const leads = async (typed: string, option: string) => {
      await page.keyboard.press('/');
      await search.getByRole('combobox').fill(typed);
      await search.getByRole('group', { name: 'Settings' }).getByRole('option', { name: option, exact: true }).click();
      await page.locator('section.card:focus').waitFor();
      const heading = await page.locator('section.card:focus h2').textContent();
      return [new URL(page.url()).searchParams.get('section'), heading];
    };
    expect(await leads('mcp', 'Assistants (MCP)')).toEqual(['assistants', 'Assistants (MCP)']);
    expect(await leads('token', 'API identities Login')).toEqual(['sign-in', 'API identities']);
    expect(await leads('token', 'Bot token Notifications')).toEqual(['chat', 'Chat workspace']);
    expect(await leads('router', 'Routers')).toEqual(['routers', 'Routers']);
    expect(await leads('backup', 'Schedule and limits Backups')).toEqual(['backups', 'Schedule and limits']);
    // The card that was left is found again.
    expect(await leads('hours between', 'Hours between backups Backups')).toEqual(['backups', 'Schedule and limits']);
    expect(await leads('バックアップ', 'Backups')).toEqual(['backups', 'Backups']);
    expect(await leads('自国', 'Home country General')).toEqual(['general', 'General']);
    expect(await leads('whois', 'Look-ups beyond the hub Data sources')).toEqual([
      'sources',
      'Look-ups beyond the hub',
    ]);
    expect(await leads('pi-hole', 'Logs that are followed Data sources')).toEqual([
      'sources',
      'Logs that are followed',
    ]);
    expect(await leads('wi-fi', 'Mesh access point Data sources')).toEqual(['sources', 'Mesh access point']);
    const token = 'Places of addresses: Token Data sources';
    expect(await leads('places of addresses: t', token)).toEqual(['sources', 'Look-ups beyond the hub']);
    expect(await leads('新しい機器', 'New devices Detection')).toEqual(['alerts', 'Where detections go']);
    expect(await leads('harmless org', 'Harmless organisations, one per line Detection')).toEqual([
      'alerts',
      'Regular beacons',
    ]);
    expect(await leads('監査', 'Audit trail')).toEqual(['audit', 'Audit trail']);
    expect(await leads('admin', 'Admin token Login')).toEqual(['sign-in', 'Admin token']);
    expect(await leads('誤検出', 'Allow list Threat feeds')).toEqual(['feeds', 'Allow list']);
    expect(new URL(page.url()).searchParams.get('part')).toBeNull();
  });

  test('a setting that somebody may not see is not found', async () => {
    await using lab = await startWebLab();
    const { token } = await lab.as.identity(['network.read']);
    await using browser = await openPage(lab, { extraHTTPHeaders: { 'X-Admin-Token': token } });
    const { page } = browser;
    await page.goto(browser.at('/'));
    await page.getByRole('navigation', { name: 'Places' }).waitFor();
    await page.keyboard.press('/');
    const search = page.getByRole('dialog', { name: 'Search' });
    await search.getByRole('combobox').fill('router');
    await search.getByRole('option', { name: 'Routers', exact: true }).waitFor();
    await search.getByRole('combobox').fill('token');
    await search.getByRole('option', { name: 'Device contains token' }).waitFor();
    expect(await search.getByRole('group', { name: 'Settings' }).count()).toBe(0);
  });
});
