// AI providers in the settings, in a real browser: what is agreed to, keys that nobody sees again, models, prices, tests.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type AiLab, aiModels, startAiLab } from '../support/ai-lab.ts';
import { seriousFindings } from '../support/axe.ts';
import { englishLeft } from '../support/english-left.ts';
import { builtWeb } from '../support/web-build.ts';
import { openAt, openPage, pageWidth, withChromium } from '../support/web-lab.ts';

const address = '/settings?section=ai';
const start = (provider?: 'local' | 'cloud_a' | 'cloud_c'): Promise<AiLab> =>
  startAiLab({ hub: { webFolder: builtWeb() }, ...(provider ? { provider } : {}) });
const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
const saved = (page: Page) => page.getByText('Saved.', { exact: true });
const runTest = (page: Page) => page.getByRole('button', { name: 'Test', exact: true }).click();
const consent = 'I agree that Anthropic gets connection counts';

withChromium(() => {
  test('a cloud provider is chosen only with consent; its key is stored and never shown; nothing is sent by saving', async () => {
    await using site = await openAt(start(), address);
    const { lab, browser, page } = site;
    await page.getByLabel('Anthropic', { exact: true }).check();
    await page.getByText('Not saved yet.').waitFor();
    await page.getByText('Never sent: credentials, notes').waitFor();
    await page.getByLabel('API key for Anthropic').fill(lab.ai.keys.cloud_a);
    await page.getByLabel('Model').fill(aiModels.cloud_a);
    await browser.expecting(/400/, async () => {
      await save(page);
      await page.getByText('First agree to send data to this provider.').waitFor();
    });
    expect(await lab.as.admin.ai.config({})).toMatchObject({ provider: 'disabled' });
    // What was typed stays.
    expect(await page.getByLabel('API key for Anthropic').inputValue()).toBe(lab.ai.keys.cloud_a);
    await page.getByLabel(consent).check();
    await save(page);
    await saved(page).waitFor();
    await page.getByText('Saved. Leave empty').waitFor();
    await expect.poll(() => page.getByLabel('API key for Anthropic').inputValue()).toBe('');
    expect(await page.content()).not.toContain(lab.ai.keys.cloud_a);
    expect(await lab.as.admin.ai.config({})).toMatchObject({
      provider: 'cloud_a',
      models: { cloud_a: aiModels.cloud_a },
      providers: { cloud_a: { keySet: true, consented: true } },
    });
    expect(lab.asked()).toEqual([]);
  });

  test('a test names the models, which the field offers with their prices; any other name can be typed', async () => {
    await using site = await openAt(start('cloud_a'), address);
    const { lab, page } = site;
    await page.locator('small').getByText('$2 in, $10 out, per million tokens').waitFor();
    await runTest(page);
    await page.getByText(/^Anthropic answered with \d+ models, \d+ of them with a known price\.$/).waitFor();
    const { models } = await lab.as.admin.ai.test({ body: {} });
    const list = await page.getByLabel('Model').getAttribute('list');
    const offered = page.locator(`[id="${list}"] option`);
    await expect.poll(() => offered.count()).toBe(models.length);
    const names = await offered.evaluateAll((all) => all.map((one) => (one as never as { value: string }).value));
    expect(names.sort()).toEqual([...models].sort());
    await page.getByLabel('Model').fill('my-own-model');
    await page.locator('small').getByText('no price known').waitFor();
    await save(page);
    await saved(page).waitFor();
    expect((await lab.as.admin.ai.config({})).models.cloud_a).toBe('my-own-model');
  });

  test('a provider that refuses the key, is limited or fails is said in words, with what to do', async () => {
    await using site = await openAt(start('cloud_a'), address);
    const { lab, browser, page } = site;
    await page.getByRole('button', { name: 'Test', exact: true }).waitFor();
    for (const [fault, sentence] of [
      ['unauthorized', /The provider refused the credentials. Save another API key/],
      ['rate-limited', /The provider accepts no more requests at the moment. Try again later/],
      ['server-error', /The provider gave no valid answer. Try again later/],
    ] as const) {
      lab.ai.fail(fault);
      await browser.expecting(/\b(?:429|502|503)\b/, async () => {
        await runTest(page);
        await page.getByText(sentence).waitFor();
      });
      lab.ai.clearFaults();
    }
    await runTest(page);
    await page.getByText(/^Anthropic answered with/).waitFor();
  });

  test('in Japanese the reason is Japanese too, and only the words of the provider are quoted', async () => {
    await using site = await openAt(start('cloud_a'), address);
    const { lab, browser, page } = site;
    await page.evaluate(`localStorage.setItem('gatehouse.language', 'ja')`);
    await page.reload();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    for (const [fault, whole] of [
      ['unauthorized', 'Anthropic が API キーを拒否しました（401）。設定の「AI プロバイダー」で保存し直してください。'],
      ['server-error', 'Anthropic がエラー 500 を返しました。後でもう一度試してください。 「Internal error.」'],
    ] as const) {
      lab.ai.fail(fault);
      await browser.expecting(/\b502\b/, async () => {
        await press('テスト');
        await page.locator('.problem', { hasText: whole }).waitFor();
      });
      lab.ai.clearFaults();
    }
    expect(await englishLeft(page)).toEqual([]);
    await page.getByRole('radio', { name: /^ローカルサーバー/ }).check();
    await page.getByLabel('モデル').fill(aiModels.local);
    await page.getByLabel('ローカルサーバーのアドレス').fill('http://169.254.169.254');
    await browser.expecting(/400/, async () => {
      await press('保存');
      await page
        .locator('.problem', {
          hasText: /^ハブは 169\.254\.169\.254 には送信しません。AI サーバーのアドレスを入力してください。$/,
        })
        .waitFor();
    });
  });

  test('the local server needs no consent and costs nothing; an address that may not be asked is refused in words', async () => {
    await using site = await openAt(start(), address);
    const { lab, browser, page } = site;
    await page.getByLabel('Local server').check();
    await page.getByLabel('Model').fill(aiModels.local);
    await page.locator('small').getByText('no charge').waitFor();
    expect(await page.getByText('I agree that').count()).toBe(0);
    const endpoint = page.getByLabel('Address of the local server');
    await endpoint.fill('http://169.254.169.254');
    await browser.expecting(/400/, async () => {
      await save(page);
      await page.getByText('This address cannot be used.').waitFor();
    });
    await endpoint.fill(lab.ai.urls.local);
    await save(page);
    await saved(page).waitFor();
    await runTest(page);
    await page.getByText(/^the local server answered with \d+ models/i).waitFor();
  });

  test('AWS Bedrock: models and guardrails of the region are offered, and a guardrail promises no country', async () => {
    await using site = await openAt(start(), address);
    const { lab, page } = site;
    await page.getByLabel('AWS Bedrock').check();
    await page.getByLabel('Region').fill(lab.ai.region);
    await page.getByText('After you save this, you can list the models and guardrails of the region.').waitFor();
    await page.getByLabel('I agree that AWS Bedrock gets').check();
    await save(page);
    await page.getByRole('button', { name: 'List models and guardrails' }).click();
    await page.getByText(/^[1-9]\d* models and [1-9]\d* guardrails listed\.$/).waitFor();
    await page.getByText('It does not guarantee in which country they are processed.').waitFor();
    const { guardrails } = await lab.as.admin.ai.guardrails({ body: { region: lab.ai.region } });
    const [{ id } = { id: '' }] = guardrails;
    await expect.poll(() => page.locator('#guardrails option').count()).toBe(guardrails.length);
    await page.getByLabel('Apply a guardrail').check();
    await page.getByLabel('ID of the guardrail').fill(id);
    await page.getByLabel('Version').fill('DRAFT');
    await page.getByLabel('Model').fill(aiModels.cloud_c);
    await save(page);
    await expect.poll(async () => (await lab.as.admin.ai.config({})).guardrail.enabled).toBe(true);
    expect(await lab.as.admin.ai.config({})).toMatchObject({
      ...{ provider: 'cloud_c', region: lab.ai.region, models: { cloud_c: aiModels.cloud_c } },
      guardrail: { enabled: true, id, version: 'DRAFT' },
    });
    await runTest(page);
    await page.getByText(`${aiModels.cloud_c} answered.`).waitFor();
  });

  test('what was agreed to is taken back and a key deleted; switched off, nobody is asked', async () => {
    await using site = await openAt(start('cloud_a'), address);
    const { lab, page } = site;
    await page.getByLabel('Delete the stored API key').check();
    await save(page);
    await page.getByText('Not saved yet.').waitFor();
    await page.getByLabel('None (off)').check();
    await page.getByRole('group', { name: 'Agreed before' }).getByLabel('Anthropic').uncheck();
    await save(page);
    await saved(page).waitFor();
    await page.getByText('Agreed before').waitFor({ state: 'detached' });
    expect(await lab.as.admin.ai.config({})).toMatchObject({
      provider: 'disabled',
      providers: { cloud_a: { keySet: false, consented: false } },
    });
    expect(await page.getByRole('button', { name: 'Test', exact: true }).count()).toBe(0);
  });

  test('who may not change settings sees none of it', async () => {
    await using lab = await start('cloud_a');
    await using browser = await openPage(lab);
    await browser.enterAs('operator', address);
    await browser.page.getByText('You do not have permission to see this.').waitFor();
  });

  test.each([
    ['light', 'en', 1440],
    ['dark', 'ja', 390],
  ] as const)('each provider in %s, %s, %d px: axe, width, language', async (colorScheme, language, width) => {
    await using lab = await start('cloud_a');
    const viewport = { width, height: 900 };
    await using browser = await openPage(lab, { colorScheme, bypassCSP: true, viewport, hasTouch: width < 720 });
    const { page } = browser;
    await browser.logIn();
    await page.evaluate(`localStorage.setItem('gatehouse.language', '${language}')`);
    await page.goto(browser.at(address));
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe(language);
    const radios = page.getByRole('radio');
    await expect.poll(() => radios.count()).toBe(5);
    for (const radio of await radios.all()) {
      await radio.check();
      expect(await seriousFindings(page)).toEqual([]);
      expect(await pageWidth(page)).toBeLessThanOrEqual(width);
      if (language === 'ja') {
        const shown = await page.locator('.section :is(label, h2, button, small, p)').allTextContents();
        const names = /API|Anthropic|OpenAI|AWS|Bedrock|Ollama|LM Studio|llama\.cpp|http\S*|\/v1\S*|eu-central-1/g;
        const left = shown.filter((one) => /[A-Za-z]{3,}/.test(one.replace(names, '')));
        expect(left).toEqual([]);
      }
    }
  });
});
