// What AI providers used and what the hub makes by itself, in a real browser: what is not known is never 0.
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { appendUsage, type UsedRequest } from '#hub/analyse/ai/usage/usage-log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { startChat } from '#simulators/chat/workspace.ts';
import { type AiLab, startAiLab } from '../support/ai-lab.ts';
import { usedRequest } from '../support/ai-usage-rows.ts';
import { builtWeb } from '../support/web-build.ts';
import { openAt, openPage, withChromium } from '../support/web-lab.ts';

const start = (): Promise<AiLab> => startAiLab({ hub: { webFolder: builtWeb() }, provider: 'cloud_a' });
/** Requests that were answered, stored beside those of the hub. */
async function used(lab: AiLab, requests: readonly UsedRequest[]): Promise<void> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) => {
    for (const request of requests) {
      appendUsage(writer, request);
    }
  });
  await db.close();
}

const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
const cells = (page: Page, name: string) => row(page, name).getByRole('cell').allTextContents();

withChromium(() => {
  test('usage is that of the API by months of this browser; requests without usage or price are named, never counted as 0', async () => {
    await using lab = await start();
    const at = lab.clock.now();
    await used(lab, [
      ...[usedRequest({ at }), usedRequest({ at, tokens: null }), usedRequest({ at, model: 'gpt-<i>own' })],
      usedRequest({ at, tokens: [500, 0], errorCode: 'ai_answer_refused' }),
    ]);
    await using browser = await openPage(lab, { timezoneId: 'Asia/Tokyo' });
    const { page } = browser;
    await browser.logIn('/insights?view=usage');
    const { current } = await lab.as.admin.ai.monthlyUsage({ query: { timezoneOffset: '-540' } });
    expect(current.estimatedCostUsd).toBeGreaterThan(0);
    await row(page, 'Requests').waitFor();
    expect(await cells(page, 'Requests')).toEqual(['4', '0']);
    const { unanswered } = current;
    expect(unanswered.estimatedCostUsd).toBeGreaterThan(0);
    const refused = `1\u00a0· $${unanswered.estimatedCostUsd}`;
    expect(await cells(page, 'Of these, charged without a usable answer')).toEqual([refused, '0']);
    expect(await cells(page, 'Tokens in')).toEqual([current.inputTokens.toLocaleString('en'), '0']);
    const [cost = '', before] = await cells(page, 'Estimated cost');
    expect(cost).toBe(`$${current.estimatedCostUsd} (2 of 4 requests)`);
    expect(before).toBe('no request');
    expect(await cells(page, 'Requests with unknown usage')).toEqual(['1', '0']);
    expect(await cells(page, 'Requests with unknown price')).toEqual(['1', '0']);
    const unpriced = page.getByRole('region', { name: 'Models without a known price' });
    await unpriced.getByText('gpt-<i>own').waitFor();
    await unpriced.getByText('1,100 tokens').waitFor();
  });

  test('when no cost of a month is known, it says so', async () => {
    await using lab = await start();
    await used(lab, [usedRequest({ at: lab.clock.now(), tokens: null })]);
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/insights?view=usage');
    await row(page, 'Estimated cost').waitFor();
    expect(await cells(page, 'Estimated cost')).toEqual(['cost not known', 'no request']);
    expect(await page.getByText('$0').count()).toBe(0);
  });

  test('a schedule is saved with consent, says when it is next, and stays off without; why not is said', async () => {
    await using site = await openAt(start(), '/insights?view=schedule');
    const { lab, browser, page } = site;
    await page.getByText('Nothing is scheduled.').waitFor();
    await page.getByLabel('Schedule', { exact: true }).selectOption('each week');
    await page.getByLabel('Day of the week').selectOption('Friday');
    await page.getByLabel('Time', { exact: true }).fill('07:30');
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    await page.getByLabel('Hours to analyse').fill('24');
    await page.getByLabel('Destinations never seen before', { exact: true }).check();
    await page.getByLabel('Destinations never seen before: Minimum number').fill('7');
    await browser.expecting(/400/, async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('First agree to send data to this provider.').waitFor();
    });
    await page.getByLabel('The hub may send these facts to Anthropic without asking each time').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.getByText(/^Next: /).waitFor();
    const { config, status } = await lab.as.admin.ai.notificationConfig({});
    expect(config).toMatchObject({
      ...{ frequency: 'weekly', weekday: 5, time: '07:30', timezone: 'Europe/Berlin', rangeHours: 24 },
      rules: { scheduled: true, danger: false, newDestination: true, increase: false },
      threat: { newDestinationsThreshold: 7 },
      automationConsent: true,
    });
    expect(status.nextRunAt).not.toBeNull();
    // Consent is for one provider.
    await lab.choose('cloud_b');
    await page.reload();
    await page.locator('.state.warn').first().waitFor();
    const { status: after } = await lab.as.admin.ai.notificationConfig({});
    expect(after.message).not.toBeNull();
    await page.getByText(String(after.message)).waitFor();
  });

  test('an analysis by hand asks first, and is listed with what of it is not in the facts and where it went; a failure too', async () => {
    await using chat = await startChat();
    await using lab = await startAiLab({
      routers: { home: 'vendor_a' },
      hub: { webFolder: builtWeb(), chatApiUrl: chat.url },
      provider: 'cloud_a',
    });
    const { token, userId } = chat.credentials;
    await lab.as.admin.chat.saveConfig({ body: { enabled: true, token, userId, displayName: 'Olga' } });
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/insights?view=schedule');
    await page.getByText('There were no runs yet.').waitFor();
    await page.getByLabel('To the chat').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Test the delivery' }).click();
    await page.getByText('The test was delivered. No provider was asked.').waitFor();
    const made = page.getByRole('region', { name: 'Previous runs' }).getByRole('listitem');
    await made
      .filter({ hasText: 'Test' })
      .getByText(/\s· sent to the chat$/)
      .waitFor();
    expect(lab.asked()).toEqual([]);
    const run = async () => {
      await page.getByRole('button', { name: 'Run now' }).click();
      const dialog = page.getByRole('dialog', { name: 'Ask Anthropic now?' });
      await dialog.getByText('Facts of the last 168 hours are sent to Anthropic').waitFor();
      await dialog.getByRole('button', { name: 'Run now' }).click();
    };
    lab.ai.fail('made-up-address', { value: '192.0.2.66' });
    await run();
    await page.getByText('The run is finished.').waitFor();
    const answered = made.filter({ hasText: 'Manual' }).filter({ hasText: '192.0.2.66' });
    await answered.locator('mark').filter({ hasText: '192.0.2.66' }).getByText('not in the facts').waitFor();
    await answered.getByText(/^Anthropic\s· claude-sonnet-5-5\s· .*\s· \$\d/).waitFor();
    await answered.getByText(/\s· sent to the chat$/).waitFor();
    lab.ai.clearFaults();
    lab.ai.fail('refusal');
    await browser.expecting(/\b502\b/, async () => {
      await run();
      await page.getByText('The model declined to answer').first().waitFor();
      await expect.poll(() => page.getByText(/^Anthropic\s· claude-sonnet-5-5\s· .*\s· \$\d/).count()).toBe(2);
    });
    await made.getByText('The model declined to answer').waitFor();
    expect((await lab.as.admin.ai.notificationEvents({ query: {} })).events).toHaveLength(3);
  });
});
