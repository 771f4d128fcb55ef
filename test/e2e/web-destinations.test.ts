// Destinations of events in the settings: added after a test event, refused with the words of the other side, left in peace.
import { expect, test } from 'vitest';
import { startToldServer } from '../support/told-server.ts';
import { openAt, startWebLab, withChromium } from '../support/web-lab.ts';

withChromium(() => {
  test('a webhook is refused, then added, muted, changed and removed', async () => {
    await using server = await startToldServer();
    await using site = await openAt(startWebLab(), '/settings?section=chat');
    const { lab, browser, page } = site;
    const stored = async () => (await lab.as.admin.destinations.list({})).destinations;
    await page.getByRole('link', { name: 'Add a destination' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Phone of Ada');
    await page.getByLabel('Address', { exact: true }).fill(server.settings.url);
    await page.getByLabel('The address is in my own network').check();
    await page.getByLabel('Analyses').uncheck();
    await page.getByLabel('Let events wait').check();
    await page.getByLabel('Sunday').uncheck();
    Object.assign(server, { answer: 401, words: 'no such hook' });
    await browser.expecting(/400/, async () => {
      await page.getByRole('button', { name: 'Test and save' }).click();
      await page.getByText('no such hook').waitFor();
    });
    expect(await stored()).toEqual([]);
    server.answer = 200;
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('0 events wait').waitFor();
    expect(await stored()).toMatchObject([
      {
        name: 'Phone of Ada',
        tells: { ai: false, threat: true },
        quietHours: { from: '22:00', to: '07:00', days: [1, 2, 3, 4, 5, 6] },
      },
    ]);
    await page.getByRole('button', { name: 'Mute for 8 hours' }).click();
    await page.getByRole('button', { name: 'End the mute' }).waitFor();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('The test event was taken.').waitFor();
    expect(server.taken).toHaveLength(2);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Phone of Bob');
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('Phone of Bob').waitFor();
    expect(server.taken).toHaveLength(2);
    expect(await stored()).toMatchObject([{ muteUntil: expect.any(Number), settings: { url: server.settings.url } }]);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Nobody else is told').waitFor();
    expect(await stored()).toEqual([]);
  });
});
