// The reference of the API in a real browser: whole, found by words, linked by the address, and its commands work.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { createAuthority } from '#simulators/support/certificates.ts';
import { openApi } from '../../scripts/reference/openapi.ts';
import type { Lab } from '../support/lab.ts';
import { proxiedName, startNginx } from '../support/nginx.ts';
import { openAt, openPage, pageWidth, startWebLab, withChromiumAnd } from '../support/web-lab.ts';

interface Operation {
  operationId: string;
  parameters: { name: string; description: string }[];
  responses: Record<string, unknown>;
}

const { paths } = openApi('1.2.3') as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, label: `${method.toUpperCase()} ${path}` })),
);

const entry = (page: Page, label: string) => page.getByRole('article', { name: label, exact: true });
const command = (place: Page | Locator) => place.getByRole('region', { name: 'Example', exact: true }).textContent();

/** What the command prints; `TOKEN` is the admin token. Rejects when it fails. */
async function run(text: string, { adminToken }: Pick<Lab<never>, 'adminToken'>): Promise<string> {
  const script = text.replace(/^curl /, 'curl --silent --show-error --fail-with-body --max-time 60 ');
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], {
    env: { TOKEN: adminToken, PATH: '/usr/bin:/bin' },
  });
  return stdout;
}

withChromiumAnd(['curl'], ['curl'], () => {
  test('each operation is there, is found by its id, and opens by its address', async () => {
    await using site = await openAt(startWebLab(), '/docs');
    const { browser, page } = site;
    await page
      .getByRole('status')
      .filter({ hasText: `${operations.length} operations` })
      .waitFor();
    const labels = await page.getByRole('article').evaluateAll(labelsOf);
    expect(new Set(labels)).toEqual(new Set(operations.map(({ label }) => label)));
    const search = page.getByRole('searchbox');
    for (const { operationId, label, parameters, responses } of operations) {
      await search.fill(operationId);
      await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(operationId);
      await entry(page, label).getByRole('link').click();
      await expect.poll(() => new URL(page.url()).searchParams.get('op')).toBe(operationId);
      await entry(page, label).getByRole('table', { name: 'Errors' }).waitFor();
      const table = page.getByRole('table', { name: 'Parameters' });
      const rows = parameters.length === 0 ? [] : await table.locator('tbody tr').allTextContents();
      expect(rows).toEqual(parameters.map(({ name, description }) => expect.stringMatching(cell(name, description))));
      for (const status of Object.keys(responses).filter((one) => /^[23]/.test(one))) {
        await page.getByRole('heading', { level: 4, name: `Answer ${status}`, exact: true }).waitFor();
      }
    }
    for (const { operationId, label } of operations.filter((_, index) => index % 10 === 0)) {
      await page.goto(browser.at(`/docs?op=${operationId}&q=none-of-them`));
      await entry(page, label).getByRole('table', { name: 'Errors' }).waitFor();
      await expect.poll(() => page.getByRole('article').count()).toBe(1);
    }
  });

  test('the words of a search may be of paths, permissions and codes; none says so', async () => {
    await using site = await openAt(startWebLab(), '/docs?q=backup.restore');
    const { page } = site;
    const labels = () => page.getByRole('article').evaluateAll(labelsOf);
    await page.getByRole('status').filter({ hasText: '4 operations' }).waitFor();
    expect((await labels()).sort()).toEqual([
      'GET /api/backup/download/{name}',
      'POST /api/backup/check',
      'POST /api/backup/restore',
      'POST /api/backup/upload',
    ]);
    await page.getByRole('searchbox').fill('post generation_damaged');
    await expect.poll(labels).toEqual(['POST /api/backup/restore']);
    await page.getByRole('searchbox').fill('no such words');
    await page.getByText('No operation contains all of these words.').waitFor();
  });

  test('the commands of examples work as they are shown, and what they print is what is described', async () => {
    await using site = await openAt(startWebLab(), '/docs');
    const { lab, browser, page } = site;
    const reads = operations.filter(({ label }) => /^GET (?!.*\{)/.test(label));
    const notWithAdminToken = /^(?:agents\.(?:capabilities|geoCache|threatIntel)|auth\.self|auth\.oidc.*|events\..*)$/;
    const wanted = reads.filter(({ operationId }) => !notWithAdminToken.test(operationId));
    expect(wanted.length).toBeGreaterThan(30);
    await page.getByRole('link', { name: 'Show all details' }).click();
    await expect.poll(() => page.getByRole('table', { name: 'Errors' }).count()).toBe(operations.length);
    for (const { label, responses } of wanted) {
      const printed = await run(String(await command(entry(page, label))), lab);
      const { content = {} } = responses[200] as { content?: Record<string, { example?: object }> };
      const { example } = content['application/json'] ?? {};
      if (example) {
        expect(Object.keys(JSON.parse(printed))).toEqual(expect.arrayContaining(Object.keys(example).slice(0, 1)));
      }
    }
    await page.goto(browser.at('/docs?op=auth.createIdentity'));
    expect(JSON.parse(await run(String(await command(page)), lab))).toMatchObject({ identity: { label: 'Assistant' } });
    await page.goto(browser.at('/docs?op=notes.write'));
    expect(String(await command(page))).toContain(`-d '{"deviceId":`);
  });

  test('without a login the reference asks for one and then shows what the address names; a viewer may read it', async () => {
    await using site = await openAt(startWebLab(), '/docs?op=devices.list');
    const { lab, page } = site;
    await entry(page, 'GET /api/devices').getByRole('heading', { level: 4, name: 'Parameters' }).waitFor();
    expect(await page.title()).toBe('API reference – Gatehouse');
    await using viewer = await openPage(lab);
    await viewer.enterAs('viewer', '/docs');
    await viewer.page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor();
    await viewer.page.getByText('Account').click();
    await viewer.page.goto(viewer.at('/settings?section=about'));
    await viewer.page.getByRole('main').getByRole('link', { name: 'API reference' }).click();
    await viewer.page.getByText(`${operations.length} operations`).waitFor();
    await viewer.page.goto(viewer.at('/devices'));
    await viewer.page.getByText('Account').click();
    await viewer.page.getByRole('banner').getByRole('link', { name: 'API reference' }).click();
    await viewer.page.getByText(`${operations.length} operations`).waitFor();
  });

  test('by keyboard alone: search, open, copy, and back', async () => {
    await using site = await openAt(startWebLab(), '/docs', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = site;
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('coverage.coverage');
    await page.getByText('1 operation', { exact: true }).waitFor();
    const focused = () => page.locator(':focus').textContent();
    await tabTo(page, /GET \/api\/coverage/);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Parameters' }).waitFor();
    expect(new URL(page.url()).searchParams.get('op')).toBe('coverage.coverage');
    expect(await focused()).toContain('/api/coverage');
    await tabTo(page, /^Copy$/);
    await page.keyboard.press('Enter');
    await page.getByText('Copied', { exact: false }).first().waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('curl ');
    await page.goBack();
    await expect.poll(() => page.getByRole('table', { name: 'Parameters' }).count()).toBe(0);
  });

  test('hostile and long words of the address stay text, and widen nothing', async () => {
    await using site = await openAt(startWebLab(), null, { viewport: { width: 390, height: 844 }, hasTouch: true });
    const { browser, page } = site;
    const hostile = `<img src=x onerror=alert(1)>\u202e${'w'.repeat(4000)}`;
    await browser.logIn(`/docs?q=${encodeURIComponent(hostile)}&op=${encodeURIComponent(hostile)}`);
    await page.getByText('This operation does not exist on this hub.').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe(hostile);
    expect(await page.locator('main img').count()).toBe(0);
    expect(await pageWidth(page)).toBe(390);
  });

  test('Japanese has all words of the page; what the API says of itself is marked as English', async () => {
    await using site = await openAt(startWebLab(), null);
    const { browser, page } = site;
    const held = Promise.withResolvers<void>();
    await page.route('**/api/openapi.json', async (route) => {
      await held.promise;
      await route.continue();
    });
    await browser.logIn('/docs?op=routers.create');
    await page.getByText('Account').click();
    held.resolve();
    // The operation would take the focus when it has come, and the menu would close under the mouse.
    await page.getByRole('table').first().waitFor();
    await page.getByLabel('Language').selectOption('日本語');
    await page.getByRole('heading', { level: 1, name: 'API リファレンス' }).waitFor();
    await page.getByRole('table', { name: 'エラー' }).waitFor();
    const words = await page.locator('main :is(h1, h4, thead th, dt, label, button)').allTextContents();
    expect(
      words.filter((word) => !/[\u3040-\u30ff\u4e00-\u9fff]/.test(word) && !/^[A-Z][\w-]+(: \w+)?$/.test(word)),
    ).toEqual([]);
    expect(await page.locator('.entry > p:not([lang=en])').count()).toBe(0);
  });

  test.each([
    ['/docs', '.entry'],
    ['/docs?op=connections.list', '.operation'],
  ])('%s on a phone: what is touched is 44 px high', async (address, shown) => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    await using site = await openAt(startWebLab(), address, phone);
    const { page } = site;
    await page.locator(shown).first().waitFor();
    expect(await pageWidth(page)).toBe(390);
    const targets = page.locator('.tools a, .tools input, .entry h3 a, .sample button, .reference summary');
    await expect.poll(() => targets.count()).toBeGreaterThan(0);
    for (const target of (await targets.all()).slice(0, 12)) {
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  });

  test('all in full is one page for paper, which has nothing around it', async () => {
    await using site = await openAt(startWebLab(), '/docs');
    const { page } = site;
    await page.getByRole('link', { name: 'Show all details' }).click();
    await expect.poll(() => page.getByRole('table', { name: 'Errors' }).count()).toBe(operations.length);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation', { name: 'Places' }).isVisible()).toBe(false);
    expect(await page.getByRole('searchbox').isVisible()).toBe(false);
    expect(await page.getByRole('heading', { level: 2, name: 'connections' }).isVisible()).toBe(true);
  });

  test('below a path of a proxy the commands and the link to the document have that path', async () => {
    const port = await freePort();
    const origin = `https://${proxiedName}:${port}`;
    await using lab = await startWebLab({ publicUrl: new URL(`${origin}/monitor`), trustProxy: ['127.0.0.1'] });
    const certificate = await (await createAuthority()).issue([proxiedName]);
    await using _nginx = await startNginx({
      ...{ port, certificate, mcp: lab.url, hub: lab.url },
      change: {
        '    location / {': '    location /monitor/ {',
        'proxy_pass              http://gatehouse_hub;': 'proxy_pass              http://gatehouse_hub/;',
      },
    });
    await using browser = await openPage(lab, {
      ...{ origin, ignoreHTTPSErrors: true },
      args: [`--host-resolver-rules=MAP ${proxiedName} 127.0.0.1`],
    });
    const { page } = browser;
    await browser.logIn('/monitor/docs?op=status.status');
    const shown = await command(page);
    expect(shown).toContain(`'${origin}/monitor/api/status'`);
    const link = page.getByRole('link', { name: 'OpenAPI document' });
    expect(await link.getAttribute('href')).toBe(`${origin}/monitor/api/openapi.json`);
  });
});

/** Presses Tab until what has the focus has this text. */
async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    if (wanted.test(String(await page.locator(':focus').textContent()))) {
      return;
    }
  }
  expect.fail(`nothing like ${wanted} gets the focus`);
}

function cell(name: string, description: string): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal(name)}.*${literal(description)}$`);
}

/** Runs in the page. */
const labelsOf = (elements: unknown[]) => elements.map((one) => (one as Labelled).getAttribute('aria-label') ?? '');

interface Labelled {
  getAttribute(name: string): string | null;
}
