// Questions to an AI provider in a real browser: what is read before it leaves is what leaves, answers are compared with the
// facts that were sent, and what went wrong is said in words.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type AiLab, startAiLab } from '../support/ai-lab.ts';
import { builtWeb } from '../support/web-build.ts';
import { type AtPage, isFocused, openAt, openPage, withChromium } from '../support/web-lab.ts';

const view = '/insights?range=1h&view=ask';
const destination = '198.51.100.10';

/** A hub with some connections of the last hour. */
async function start(provider: 'local' | 'cloud_a' | 'disabled' = 'cloud_a'): Promise<AiLab<'home'>> {
  const lab = await startAiLab({ routers: { home: 'vendor_a' }, hub: { webFolder: builtWeb() }, provider });
  for (const src of ['192.168.100.31', '192.168.100.32']) {
    lab.routers.home.flow({ src, dst: destination, dport: 443, proto: 'tcp' });
  }
  await lab.poll();
  await lab.skip(1000);
  return lab;
}

const explain = (page: Page) => page.getByRole('button', { name: 'Explain this period' });
const preview = (page: Page, name = 'Anthropic') => page.getByRole('dialog', { name: `What is sent to ${name}` });
const answer = (page: Page) => page.getByRole('article');

/** Has it shown what would be sent, and sends that. */
async function sendExplanation(page: Page): Promise<void> {
  await explain(page).click();
  await preview(page).getByLabel('I have read it and want to send it to Anthropic').check();
  await preview(page).getByRole('button', { name: 'Send to Anthropic' }).click();
  await preview(page).waitFor({ state: 'detached' });
}

async function at(lab: AiLab<'home'>, path = view): Promise<AtPage> {
  const browser = await openPage(lab);
  await browser.logIn(path);
  return browser;
}

withChromium(() => {
  test('nothing is sent before it was read and confirmed; what was read is sent, byte for byte; every fact of the answer is a door', async () => {
    await using site = await openAt(start(), '/insights?range=1h');
    const { lab, page } = site;
    await page.getByRole('link', { name: 'Explain this period' }).click();
    await explain(page).click();
    const dialog = preview(page);
    await dialog.getByText('This data leaves your network and goes to Anthropic.').waitFor();
    await dialog.getByText('claude-sonnet-5-5', { exact: true }).waitFor();
    await dialog.getByText(/^at most \$0\.0\d+$/).waitFor();
    await dialog.getByText(/^[\d,]+ bytes, about [\d,]+ tokens$/).waitFor();
    const body = await dialog.locator('pre').textContent();
    expect(JSON.parse(String(body))).toMatchObject({ model: 'claude-sonnet-5-5' });
    const marked = await dialog.locator('mark').allTextContents();
    expect(marked.filter((line) => line.includes(destination)).length).toBeGreaterThan(0);
    const send = dialog.getByRole('button', { name: 'Send to Anthropic' });
    expect(await send.isDisabled()).toBe(true);
    expect(lab.asked()).toEqual([]);
    await dialog.getByLabel('I have read it and want to send it to Anthropic').check();
    await send.click();
    await answer(page)
      .getByText(/^(?:All \d+ statements are|The one statement is) in the facts that were sent$/)
      .waitFor();
    const requests = lab.ai.requests();
    expect(requests.map(({ fullPath }) => fullPath)).toEqual(['/cloud_a/v1/messages']);
    expect(requests[0]?.body).toBe(body);
    await answer(page)
      .getByText(/^Anthropic\s· claude-sonnet-5-5\s· .* tokens in, [\d,]+ out\s· \$\d/)
      .waitFor();
    const door = answer(page).getByRole('link').first();
    const named = String(await door.textContent());
    await door.click();
    await page.getByRole('heading', { level: 1, name: /^[1-9]\d* connections$/ }).waitFor();
    expect(new URL(page.url()).searchParams.toString()).toContain(encodeURIComponent(named));
    // Back, and the answer is still there.
    await page.goBack();
    await answer(page).getByRole('link', { name: named }).first().waitFor();
  });

  test('what an answer made up is marked as not in the facts, in words, and counted; text of others stays text', async () => {
    await using site = await openAt(start(), view);
    const { lab, page } = site;
    lab.ai.fail('made-up-address', { value: '192.0.2.66<img src=x onerror=alert(1)>' });
    await sendExplanation(page);
    const made = answer(page).locator('mark').filter({ hasText: '192.0.2.66' });
    await made.first().getByText('not in the facts').waitFor();
    expect(await made.getByRole('link').count()).toBe(0);
    await answer(page)
      .getByText(/^[1-9]\d* of \d+ statements (?:is|are) not in the facts that were sent$/)
      .waitFor();
    await answer(page).getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('a request is cancelled: nobody waits for it any more, and the next one is answered', async () => {
    await using site = await openAt(start(), view);
    const { lab, page } = site;
    lab.ai.fail('hold');
    await sendExplanation(page);
    await page.getByRole('status').filter({ hasText: 'Waiting for Anthropic…' }).waitFor();
    await lab.ai.held();
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await expect.poll(() => isFocused(cancel)).toBe(true);
    await cancel.press('Enter');
    await page.getByText('Cancelled. The provider may still charge for the request.').waitFor();
    await expect.poll(() => isFocused(explain(page))).toBe(true);
    await expect.poll(() => lab.ai.state().held).toBe(0);
    lab.ai.clearFaults();
    await sendExplanation(page);
    await answer(page).waitFor();
  });

  test('what is shown and not confirmed is not sent; closing it leads back to the button', async () => {
    await using site = await openAt(start(), view);
    const { lab, page } = site;
    await explain(page).click();
    await preview(page).waitFor();
    await page.keyboard.press('Escape');
    await preview(page).waitFor({ state: 'detached' });
    await explain(page).click();
    await preview(page).getByRole('button', { name: 'Cancel' }).click();
    await preview(page).waitFor({ state: 'detached' });
    await expect.poll(() => explain(page).isEnabled()).toBe(true);
    expect(lab.asked()).toEqual([]);
  });

  test('without usage the cost is not known, and never 0', async () => {
    await using site = await openAt(start(), view);
    const { lab, page } = site;
    lab.ai.fail('usage-missing');
    await sendExplanation(page);
    await answer(page)
      .getByText(/tokens not known\s· cost not known$/)
      .waitFor();
    expect(await page.getByText('$0').count()).toBe(0);
  });

  test('an answer that was cut says so', async () => {
    await using lab = await start();
    await using browser = await at(lab);
    lab.ai.fail('length');
    await sendExplanation(browser.page);
    await answer(browser.page).getByText('The answer was cut off at the maximum length.').waitFor();
  });

  test('failures are said in words with what to do, and trying again shows again what would be sent', async () => {
    await using site = await openAt(start(), view);
    const { lab, browser, page } = site;
    for (const [fault, sentence] of [
      ['unauthorized', 'The provider refused the credentials'],
      ['rate-limited', 'The provider accepts no more requests at the moment'],
      ['refusal', 'The model declined to answer'],
      ['overloaded', 'The provider'],
    ] as const) {
      lab.ai.fail(fault);
      await browser.expecting(/\b(?:429|502|503)\b/, async () => {
        await sendExplanation(page);
        await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
      });
      lab.ai.clearFaults();
    }
    await page.getByRole('button', { name: 'Try again' }).click();
    await preview(page).getByLabel('I have read it').check();
    await preview(page).getByRole('button', { name: 'Send to Anthropic' }).click();
    await answer(page).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('the local server is asked without a confirmation and at no charge; a prompt that it cut is no answer', async () => {
    await using site = await openAt(start('local'), view);
    const { lab, browser, page } = site;
    const dialog = preview(page, 'the local server');
    const send = async () => {
      await explain(page).click();
      await dialog.getByText('This data goes only to the server that you set up.').waitFor();
      expect(await dialog.getByRole('checkbox').count()).toBe(0);
      await dialog.getByRole('button', { name: 'Send to the local server' }).click();
    };
    lab.ai.fail('cut-prompt', { value: 100 });
    await browser.expecting(/\b502\b/, async () => {
      await send();
      await page.getByRole('alert').filter({ hasText: 'Increase its context length' }).waitFor();
    });
    lab.ai.clearFaults();
    await send();
    await answer(page)
      .getByText(/\s· no charge$/)
      .waitFor();
  });

  test('without a provider the facts are there, and it says where to choose one', async () => {
    await using site = await openAt(start('disabled'), '/insights?range=1h');
    const { page } = site;
    await page.locator('.ranked li').first().waitFor();
    await page.getByRole('link', { name: 'Explain and ask' }).click();
    await page.getByText('No AI provider is chosen.').waitFor();
    await page.getByRole('link', { name: 'Settings: AI providers' }).click();
    await page.getByLabel('None (off)').waitFor();
  });

  test.each(['viewer', 'operator'] as const)('%s sees the facts and why there is no more', async (role) => {
    await using site = await openAt(start(), null);
    const { browser, page } = site;
    await browser.enterAs(role, view);
    await page.locator('.ranked li').first().waitFor();
    await page.getByText('You can see the facts, but you do not have permission to ask an AI provider.').waitFor();
    expect(await page.getByRole('navigation', { name: 'Insights' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Explain this period' }).count()).toBe(0);
  });

  test('a note is drafted by this hub alone, or by the provider once it was confirmed what leaves', async () => {
    await using site = await openAt(start(), '/devices');
    const { lab, browser, page } = site;
    const row = page.getByRole('row').filter({ hasText: '192.168.100.31' }).first();
    await row.getByRole('button', { name: /^Add Note of / }).click();
    const field = row.getByRole('textbox', { name: /^Note of / });
    await row.getByRole('button', { name: 'Draft (on this hub only)' }).click();
    await expect.poll(() => field.inputValue()).not.toBe('');
    expect(lab.asked()).toEqual([]);
    await field.fill('In the attic.');
    const draft = row.getByRole('button', { name: 'Draft by Anthropic' });
    await draft.click();
    const asked = row.getByRole('group', { name: /destinations of this device are sent to Anthropic/ });
    await asked.waitFor();
    expect(lab.asked()).toEqual([]);
    lab.ai.fail('rate-limited');
    await browser.expecting(/\b(?:429|502|503)\b/, async () => {
      await draft.click();
      await asked.getByText('The provider accepts no more requests at the moment').waitFor();
    });
    lab.ai.clearFaults();
    await draft.click();
    await asked.waitFor({ state: 'detached' });
    await expect.poll(() => field.inputValue()).toMatch(/^In the attic\.\n./);
    expect(lab.asked().at(-1)).toBe('POST /cloud_a/v1/messages');
  });
});
