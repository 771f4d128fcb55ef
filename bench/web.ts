// The web UI in Chromium in front of a seeded log: how long the first rows take from the navigation on, and whether a
// task of the page is ever long enough to be felt, while 100,000 rows scroll past and while a filter is typed.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { UsageError } from '#kernel/process/program.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { openBrowser } from '../test/support/browser.ts';
import { quantile } from '../test/support/health-probe.ts';
import { startHubProcess } from '../test/support/hub-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { builtWeb } from '../test/support/web-build.ts';
import type { Benchmark } from './benchmark.ts';

export const webBenchmark: Benchmark = {
  summary: 'the web UI in Chromium: first rows, scrolling 100,000 of them, typing in a filter',
  options: { data: 'a folder that npm run bench:seed wrote' },
  runs: 7,
  by: ['view'],
  async run({ data }, runs, progress) {
    if (data === undefined) {
      throw new UsageError('--data must name a folder that npm run bench:seed wrote');
    }
    builtWeb();
    return await measure(path.resolve(data), runs, progress);
  },
};

/** One thing that a person does. Times in milliseconds. */
interface WebFigures {
  view: string;
  /** From the navigation, the step or the last key to what was asked for on the page. */
  shownMs: number;
  targetMs: number | string;
  /** Tasks of the page over 50 ms meanwhile, and the longest. */
  longTasks: number;
  longestMs: number;
}

const typed = '19.7';
const steps = 40;
const scrolled = 100_000;

async function measure(dataDir: string, runs: number, progress: (text: string) => void): Promise<WebFigures[]> {
  const password = randomBytes(12).toString('hex');
  // Settings of its own: the password of an earlier run is not this one's.
  using settings = temporaryFolder();
  await using hub = await startHubProcess({
    isMeasured: true,
    dataDir,
    adminToken: randomBytes(24).toString('hex'),
    command: 'bin/gatehouse.js',
    env: { MONITOR_CONFIG_PATH: path.join(settings.path, 'monitor.json'), MONITOR_INITIAL_PASSWORD: password },
  });
  const figures: WebFigures[] = [];
  for (let run = 1; run <= runs; run += 1) {
    progress(`run ${run} of ${runs}`);
    // A browser that has nothing of this page yet but its session.
    await using browser = await openBrowser({ origin: hub.url.origin });
    const { page } = browser;
    page.setDefaultTimeout(20_000);
    await page.addInitScript({ content: watchPage });
    await page.goto(new URL('/settings', hub.url).href);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('navigation', { name: 'Places' }).waitFor();
    const open = async (view: string, address: string, what: 'rows' | 'overview') => {
      await page.goto(new URL(address, hub.url).href);
      await until(page, `window.shownAt.${what}`);
      const shownMs = Number(await page.evaluate(`window.shownAt.${what}`));
      return { view, shownMs, targetMs: 600, ...(await tasksOf(page)) };
    };
    figures.push(
      await open('overview, 24 hours', '/', 'overview'),
      await open('overview, 14 days', '/?range=14d', 'overview'),
      await open('connections, 24 hours', '/connections', 'rows'),
      await open('connections, 14 days', '/connections?range=14d', 'rows'),
    );
    figures.push(await scroll(page), await type(page));
  }
  return figures;
}

async function scroll(page: Page): Promise<WebFigures> {
  const taken: number[] = [];
  const all = { longTasks: 0, longestMs: 0 };
  for (let step = 1; step <= steps; step += 1) {
    const elapsed = stopwatch();
    await page.evaluate(`document.querySelector('section.log').scrollTop =
      ${(step * scrolled) / steps} * document.querySelector('section.log tbody tr').offsetHeight`);
    await page.evaluate(drawn);
    await until(page, `${rowsShown} && !document.querySelector('section.log td.waiting')`);
    taken.push(elapsed());
    const { longTasks, longestMs } = await tasksOf(page);
    all.longTasks += longTasks;
    all.longestMs = Math.max(all.longestMs, longestMs);
  }
  return { view: `scroll past ${scrolled} rows, a step`, shownMs: quantile(taken, 0.5), targetMs: '-', ...all };
}

async function type(page: Page): Promise<WebFigures> {
  const before = await page.getByRole('heading', { level: 1 }).textContent();
  await page.getByRole('button', { name: 'Filter row' }).click();
  await page.getByRole('searchbox', { name: 'Filter: Destination', exact: true }).focus();
  for (const key of typed) {
    await page.keyboard.press(key);
  }
  const elapsed = stopwatch();
  await until(
    page,
    `document.querySelector('h1').textContent !== ${JSON.stringify(before)} && !document.querySelector('.log.dimmed')`,
  );
  return { view: 'type in a filter', shownMs: elapsed(), targetMs: '-', ...(await tasksOf(page)) };
}

/** Resolves in the first frame in which it is true; strings are only evaluated by the debugger, as the policy wants it. */
async function until(page: Page, condition: string): Promise<void> {
  while (!(await page.evaluate(`Boolean(${condition})`))) {
    await page.evaluate(drawn);
  }
}

async function tasksOf(page: Page): Promise<{ longTasks: number; longestMs: number }> {
  // Entries come a moment behind their task.
  await page.evaluate(drawn);
  const durations = (await page.evaluate('window.longTasks.splice(0)')) as number[];
  return { longTasks: durations.length, longestMs: Math.max(0, ...durations) };
}

// What follows runs in the page.
const rowsShown = `document.querySelectorAll('section.log td.dst').length > 5`;
const overviewShown = `document.querySelectorAll('main .overview a[href*="connections"]').length > 5`;
const drawn = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)))';
/** The frame in which each view was there first is kept, and every long task. */
const watchPage = `window.longTasks = [];
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });
  window.shownAt = {};
  new MutationObserver(() => {
    if (${rowsShown}) window.shownAt.rows ??= performance.now();
    if (${overviewShown}) window.shownAt.overview ??= performance.now();
  }).observe(document, { childList: true, subtree: true });`;
