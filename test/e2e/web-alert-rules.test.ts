// The rules of alerts in a real browser: found, changed, exported, ended.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { startDetectionLab } from '../support/detection-lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { listed, openPage, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('a rule is found, changed, exported and ended; its alert opens again', async () => {
    await using lab = await startDetectionLab({ hub: { webFolder: builtWeb() } });
    lab.contact(listed);
    await lab.poll();
    await lab.list(listed);
    await lab.poll();
    const { alerts } = lab.as.admin;
    const { id = 0 } = (await alerts.list({})).alerts[0] ?? {};
    await using browser = await openPage(lab, { bypassCSP: true });
    const { page } = browser;
    await browser.logIn('/alerts?view=rules');
    await page.getByText('There is no rule.').waitFor();
    await alerts.expect({ params: { id: String(id) }, body: { scope: 'network', note: '=the maker' } });
    const rules = page.locator('.rules > li');
    await rules.getByRole('heading', { name: `Expected: ${listed}:443, for all devices` }).waitFor();
    await page.getByLabel('Search rules').fill('nobody');
    await page.getByText('No rule matches.').waitFor();
    expect(new URL(page.url()).search).toBe('?view=rules&q=nobody');
    await page.getByLabel('Search rules').fill('MAKER');
    await rules.getByRole('button', { name: 'Edit:' }).click();
    await page.keyboard.press('Escape');
    await rules.getByRole('button', { name: 'Edit:' }).click();
    await rules.getByLabel('Ends').selectOption('1 week from now');
    await rules.getByLabel('Reason').fill('=the maker, until Friday');
    expect(await seriousFindings(page)).toEqual([]);
    await rules.getByRole('button', { name: 'Save' }).click();
    await rules.getByText('=the maker, until Friday').waitFor();
    const until = lab.clock.now() + 7 * 86_400_000;
    expect((await alerts.rules({})).rules).toEqual([
      expect.objectContaining({ until, reason: '=the maker, until Friday' }),
    ]);
    const files: Record<string, string> = {};
    for (const format of ['CSV', 'JSON']) {
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name: `Export as ${format}` }).click();
      files[format] = readFileSync(await (await coming).path(), 'utf8');
    }
    expect(files.CSV?.split('\r\n')[1]).toContain(`"${listed} 443","","${new Date(until).toISOString()}","'=the maker`);
    expect(JSON.parse(files.JSON ?? '')).toMatchObject({ rules: [{ target: `${listed} 443`, until }] });
    await rules.getByRole('link', { name: 'Show the alert' }).click();
    await page.getByRole('dialog', { name: 'Alert' }).getByRole('link', { name: 'All rules' }).click();
    await rules.getByRole('button', { name: 'End rule' }).click();
    await rules.getByRole('group').getByRole('button', { name: 'End rule' }).click();
    await page.getByText('There is no rule.').waitFor();
    await page.getByRole('link', { name: 'Alerts 1 needs a look' }).waitFor();
    await page.getByText('Rule ended: Known-bad destination').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await rules.getByText('=the maker, until Friday').waitFor();
    const { history } = await alerts.detail({ params: { id: String(id) } });
    expect(history.map(({ action }) => action)).toEqual(['undo', 'end_rule', 'change_rule', 'expect']);
  });
});
