// Conversations with an AI provider in a real browser: asked, continued, opened again, taken away as files, deleted; and how
// all of it looks.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type AiLab, startAiLab } from '../support/ai-lab.ts';
import { seriousFindings } from '../support/axe.ts';
import { builtWeb } from '../support/web-build.ts';
import { isFocused, openAt, openPage, pageWidth, withChromium } from '../support/web-lab.ts';

const view = '/insights?range=1h&view=ask';

async function start(): Promise<AiLab<'home'>> {
  const lab = await startAiLab({ routers: { home: 'vendor_a' }, hub: { webFolder: builtWeb() }, provider: 'cloud_a' });
  lab.routers.home.flow({ src: '192.168.100.31', dst: '198.51.100.10', dport: 443, proto: 'tcp' });
  await lab.poll();
  await lab.skip(1000);
  return lab;
}

const messages = (page: Page) => page.locator('.talk > li');
const history = (page: Page) => page.getByRole('region', { name: 'Conversations' });

/** Asks, after what would be sent was shown with the question in it. */
async function question(page: Page, asked: string): Promise<void> {
  await page.getByLabel('Your question').fill(asked);
  await page.getByRole('button', { name: 'Show what would be sent' }).click();
  const dialog = page.getByRole('dialog', { name: 'What is sent to Anthropic' });
  await dialog
    .getByRole('region', { name: /^The whole message/ })
    .getByText(String(asked.split('\n')[0]))
    .waitFor();
  await dialog.getByLabel('I have read it and want to send it to Anthropic').check();
  await dialog.getByRole('button', { name: 'Send to Anthropic' }).click();
}

async function exported(page: Page, format: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    history(page)
      .getByRole('button', { name: `Export as ${format}` })
      .click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
}

withChromium(() => {
  test('a conversation is begun, goes on with what was said, and is there after a reload', async () => {
    await using site = await openAt(start(), view);
    const { lab, page } = site;
    await page.getByText('No question was asked yet.').waitFor();
    await question(page, 'Which device is busy?');
    await expect.poll(() => messages(page).count()).toBe(2);
    await expect.poll(() => page.getByLabel('Your question').inputValue()).toBe('');
    await question(page, 'And which one is not?');
    await expect.poll(() => messages(page).count()).toBe(4);
    expect(lab.ai.requests()[1]?.body).toContain('Which device is busy?');
    const { conversations } = await lab.as.admin.ai.conversations({});
    expect(conversations.map(({ messageCount }) => messageCount)).toEqual([4]);
    await history(page)
      .getByText(/\s· 4 messages\s· /)
      .waitFor();
    await history(page).getByRole('heading', { level: 3, name: 'Which device is busy?' }).waitFor();
    await page.reload();
    await expect.poll(() => messages(page).count()).toBe(4);
    await page.getByRole('link', { name: 'New conversation' }).click();
    await expect.poll(() => messages(page).count()).toBe(0);
    await history(page).getByRole('heading', { level: 3 }).getByRole('link').click();
    await expect.poll(() => messages(page).count()).toBe(4);
  });

  test('a question about an explanation takes it along', async () => {
    await using site = await openAt(start(), view);
    const { lab, page } = site;
    await page.getByRole('button', { name: 'Explain this period' }).click();
    const dialog = page.getByRole('dialog', { name: 'What is sent to Anthropic' });
    await dialog.getByLabel('I have read it').check();
    await dialog.getByRole('button', { name: 'Send to Anthropic' }).click();
    const explained = String(await page.locator('article .answer').textContent());
    await page.getByText('The explanation above is sent with it.').waitFor();
    await question(page, 'Why?');
    await expect.poll(() => messages(page).count()).toBe(2);
    const [line = ''] = explained.split('\n');
    expect(lab.ai.requests()[1]?.body).toContain(JSON.stringify(line).slice(1, -1));
  });

  test('a question without an answer is stored with the reason, which is said', async () => {
    await using site = await openAt(start(), view);
    const { lab, browser, page } = site;
    lab.ai.fail('refusal');
    await browser.expecting(/\b502\b/, async () => {
      await question(page, 'Which device is busy?');
      await page.getByRole('alert').filter({ hasText: 'The model declined to answer' }).waitFor();
    });
    // What was typed stays, to be asked again.
    expect(await page.getByLabel('Your question').inputValue()).toBe('Which device is busy?');
    await history(page).getByRole('heading', { level: 3 }).getByRole('link').click();
    await messages(page).nth(1).getByText('The model declined to answer').waitFor();
    // The provider counted it all the same.
    const { current } = await lab.as.admin.ai.monthlyUsage({ query: {} });
    expect(current.unanswered.requests).toBe(1);
    await messages(page)
      .nth(1)
      .getByText(`${current.inputTokens.toLocaleString('en')} `)
      .waitFor();
  });

  test('files have every message, as text that no reader takes for a tag; deleting asks first and is for good', async () => {
    await using site = await openAt(start(), view);
    const { lab, page } = site;
    lab.ai.fail('made-up-address', { value: '192.0.2.66' });
    await question(page, 'Who is <b>busy</b>?\n# Not a heading');
    await expect.poll(() => messages(page).count()).toBe(2);
    const [row] = (await lab.as.admin.ai.conversations({})).conversations;
    const params = { id: String(row?.conversationId) };
    const whole = await lab.as.admin.ai.conversation({ params });
    expect(JSON.parse(await exported(page, 'JSON'))).toEqual(whole);
    const markdown = await exported(page, 'Markdown');
    expect(markdown).toContain('\n    Who is <b>busy</b>?\n    # Not a heading\n');
    expect(markdown).toContain('not in the facts:\n\n    192.0.2.66');
    expect(markdown.match(/^## /gm)).toHaveLength(2);
    await history(page).getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this conversation?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await lab.as.admin.ai.conversations({})).conversations).toHaveLength(1);
    await history(page).getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No question was asked yet.').waitFor();
    await expect.poll(() => messages(page).count()).toBe(0);
    expect((await lab.as.admin.ai.conversations({})).conversations).toEqual([]);
  });

  test('with the keyboard alone: to the question, through what would be sent, to the answer', async () => {
    await using site = await openAt(start(), view);
    const { page } = site;
    const focused = (name: string) =>
      page.getByRole('button', { name }).evaluate((one) => one === one.ownerDocument.activeElement);
    const tabTo = async (isThere: () => Promise<boolean>) => {
      for (let presses = 0; presses < 40 && !(await isThere()); presses += 1) {
        await page.keyboard.press('Tab');
      }
      expect(await isThere()).toBe(true);
    };
    await page.getByRole('button', { name: 'Explain this period' }).waitFor();
    await page.getByRole('main').focus();
    await tabTo(() => focused('Explain this period'));
    await page.keyboard.press('Enter');
    const box = page.getByRole('dialog').getByRole('checkbox');
    await box.waitFor();
    await tabTo(() => isFocused(box));
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByRole('article').waitFor();
    await expect.poll(() => focused('Explain this period')).toBe(true);
  });

  test.each([
    ['light', 'en', 1440],
    ['dark', 'ja', 390],
  ] as const)('every part in %s, %s, %d px: axe, width, language', async (colorScheme, language, width) => {
    await using lab = await start();
    const viewport = { width, height: 844 };
    await using browser = await openPage(lab, { colorScheme, bypassCSP: true, viewport, hasTouch: width < 720 });
    const { page } = browser;
    await browser.logIn();
    await page.evaluate(`localStorage.setItem('gatehouse.language', '${language}')`);
    const check = async (name: string) => {
      await expect.poll(() => page.getAttribute('html', 'lang')).toBe(language);
      expect([name, await seriousFindings(page)]).toEqual([name, []]);
      expect(await pageWidth(page)).toBeLessThanOrEqual(width);
      if (language === 'ja') {
        const labels = await page.locator('main :is(nav a, th, h2, button, label, dt)').allTextContents();
        const names = /Anthropic|JSON|Markdown/g;
        expect(labels.filter((label) => /[A-Za-z]{3,}/.test(label.replace(names, '')))).toEqual([]);
      }
    };
    lab.ai.fail('made-up-address');
    await page.goto(browser.at(view));
    await page.locator('.asking .main').click();
    await page.getByRole('dialog').getByRole('checkbox').check();
    await check('preview');
    await page.getByRole('dialog').locator('.main').click();
    await page.locator('article mark').first().waitFor();
    await check('answer');
    const { from, to } = { from: lab.clock.now() - 3_600_000, to: lab.clock.now() };
    await lab.as.admin.ai.chat({ body: { from, to, message: 'who?', cloudConsentConfirmed: true } });
    await page.reload();
    await history(page)
      .or(page.getByRole('region', { name: '会話' }))
      .locator('h3 a')
      .click();
    await expect.poll(() => messages(page).count()).toBe(2);
    await check('conversation');
    await lab.as.admin.ai.notificationRunNow({ body: { cloudConsentConfirmed: true } });
    await page.goto(browser.at('/insights?view=schedule'));
    await page.locator('.asking .items li').first().waitFor();
    await check('schedule');
    await page.goto(browser.at('/insights?view=usage'));
    await page.locator('.asking table').waitFor();
    await check('usage');
  });
});
