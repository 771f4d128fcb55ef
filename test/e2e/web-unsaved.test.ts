// A form with changes that are not saved asks before a link, Back or the end of the tab loses them.
import { expect, test } from 'vitest';
import { openAt, startWebLab, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('a link and Back ask; staying keeps what was typed; the period and a saved form are not asked about', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=chat');
    const { page } = site;
    await page.getByRole('link', { name: 'General' }).click();
    const country = page.getByLabel('Home country');
    await country.fill('de');
    await page.getByRole('link', { name: '6 h' }).click();
    await expect.poll(() => page.url()).toContain('range=6h');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.getByRole('link', { name: 'Backups' }).click();
    await question.getByRole('button', { name: 'Stay here' }).click();
    await question.waitFor({ state: 'detached' });
    expect([await country.inputValue(), page.url()]).toEqual(['de', expect.stringContaining('section=general')]);
    await page.getByRole('link', { name: 'Overview' }).click();
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    // The first step back leads to another period, the second one away from the form.
    await page.goBack();
    await page.goBack();
    await question.waitFor();
    expect([await country.inputValue(), page.url()]).toEqual(['de', expect.stringContaining('section=general')]);
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Workspace' }).waitFor();
    await page.goForward();
    await country.fill('fr');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Backups' }).click();
    await page.getByRole('heading', { name: 'Schedule and limits' }).waitFor();
  });

  test('closing the tab asks only while something is not saved', async () => {
    await using site = await openAt(startWebLab(), '/settings?section=general');
    const { page } = site;
    const asked = () =>
      page.evaluate(
        "(() => { const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return event.defaultPrevented; })()",
      );
    const country = page.getByLabel('Home country');
    const before = await country.inputValue();
    expect(await asked()).toBe(false);
    await country.fill('de');
    expect(await asked()).toBe(true);
    await country.fill(before);
    expect(await asked()).toBe(false);
  });
});
