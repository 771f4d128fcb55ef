// The page behind the link of a message, in a browser that never logged in.
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { type DetectionLab, startDetectionLab } from '../support/detection-lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { openPage, withChromium } from '../support/web-lab.ts';

const listed = '203.0.113.80';

/** The path of the link in the only message that was told. */
async function readLink(lab: DetectionLab): Promise<string> {
  await expect
    .poll(async () => {
      await lab.skip(2000);
      return lab.told().length;
    })
    .toBe(1);
  return /\/act#[^|]+/.exec(lab.told()[0] ?? '')?.[0] ?? expect.fail('the message has no link');
}

withChromium(() => {
  test('the link of a message shows its alert, changes nothing by itself, and acts once', async () => {
    await using lab = await startDetectionLab({
      hub: { webFolder: builtWeb(), publicUrl: new URL('https://gatehouse.example.net') },
    });
    lab.contact(listed);
    await lab.poll();
    await lab.list(listed);
    await lab.poll();
    const link = await readLink(lab);
    const readState = async () => (await lab.as.admin.alerts.list({})).alerts[0]?.state;
    await using browser = await openPage(lab, { bypassCSP: true });
    const { page } = browser;
    await page.goto(browser.at(link));
    await page.getByText(listed).waitFor();
    await expect.poll(() => page.title()).toBe('An alert from a message');
    expect(await seriousFindings(page)).toEqual([]);
    await page.reload();
    await page.getByText(listed).waitFor();
    expect(await readState()).toBe('open');
    await browser.withoutAnswer('**/api/alert-links/act', async () => {
      await page.getByRole('button', { name: 'Mute for a day' }).click();
      await page.getByText('The hub does not answer.').waitFor();
    });
    await page.getByRole('button', { name: 'Mute for a day' }).click();
    await page.getByText('Done.').waitFor();
    expect(await readState()).toBe('muted');
    expect(await page.getByRole('button').count()).toBe(0);
    await browser.expecting(/409/, async () => {
      await page.reload();
      await page.getByText('this link was used: open the alert to change it again').waitFor();
    });
    await page.getByRole('link', { name: 'Log in to see all of it' }).click();
    await page.getByLabel('Password').waitFor();
  });
});
