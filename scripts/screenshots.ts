// `npm run docs:screenshots`: starts the demo and takes a picture of each place of the web UI into docs/images, wide in
// light and dark, and narrow. Needs /usr/bin/chromium-headless-shell.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from 'playwright-core';
import { frontRoutes } from '#contract/front.ts';
import { root } from './sources.ts';

const folder = path.join(root, 'docs/images');

const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;

/** Starts the demo; resolves to the address that logs in. */
async function startDemo() {
  const demo = spawn(process.execPath, ['scripts/launch.mjs', '--web', 'scripts/demo.ts', '--free-ports'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let link = '';
  for await (const line of createInterface({ input: demo.stdout })) {
    link = /^one click +(\S+)/.exec(line)?.[1] ?? link;
    if (line.startsWith('ready ')) {
      return { link, stop: () => demo.kill('SIGINT') };
    }
  }
  throw new Error('the demo ended before it was ready');
}

async function takePictures(browser: Browser, link: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { name, ...look } of looks) {
    const context = await browser.newContext({ ...look, locale: 'en-US', timezoneId: 'UTC' });
    const page = await context.newPage();
    await page.goto(link);
    for (const route of Object.values(frontRoutes).filter(({ path: one }) => !one.includes(':'))) {
      await page.goto(new URL(route.path, link).href);
      await page.getByRole('heading', { level: 1, name: /\d|\w/ }).waitFor();
      await page.locator('main .card, main .log td button').first().waitFor();
      await takePicture(page, `${route.path.slice(1) || 'overview'}-${name}.png`);
    }
    await takeDevice(page, new URL('/devices?sort=connections', link).href, `device-${name}.png`);
    await takeAlert(page, new URL('/alerts', link).href, `alert-${name}.png`);
    await context.close();
  }
}

/** The page of the device with the most connections. */
async function takeDevice(page: Page, address: string, file: string): Promise<void> {
  await page.goto(address);
  await page.locator('.list .figure a').first().waitFor();
  await page.locator('.list tbody th a').first().click();
  await page.locator('.days').waitFor();
  await page.locator('main .ranked li').first().waitFor();
  await takePicture(page, file);
}

/** What somebody sees who opens the first alert. */
async function takeAlert(page: Page, address: string, file: string): Promise<void> {
  await page.goto(address);
  await page.locator('.alert-title a').first().click();
  await page.getByRole('dialog').locator('dl').first().waitFor();
  await takePicture(page, file);
}

/** Waits until the page has everything that it shows. */
async function takePicture(page: Page, file: string): Promise<void> {
  await page.locator('nav .badge').first().waitFor();
  for (const late of [page.getByText('Loading…'), page.getByText('…', { exact: true }), page.locator('.dimmed')]) {
    await late.first().waitFor({ state: 'detached' });
  }
  await page.screenshot({ path: path.join(folder, file), animations: 'disabled' });
  console.log(`docs/images/${file}`);
}

const demo = await startDemo();
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await takePictures(browser, demo.link);
} finally {
  await browser.close();
  demo.stop();
}
