// The web UI in Chromium in front of a seeded log: how long each view takes from the navigation on, how far it moves
// meanwhile, and whether a task of the page is ever long enough to be felt, also while rows scroll and a filter is typed.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { UsageError } from '#kernel/process/program.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { openBrowser } from '../test/support/browser.ts';
import { quantile } from '../test/support/health-probe.ts';
import { startHubProcess } from '../test/support/hub-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { setup } from '../test/support/web-build.ts';
import type { Benchmark } from './benchmark.ts';

export const webBenchmark: Benchmark = {
  summary: 'the web UI in Chromium: each view, scrolling 100,000 rows, typing in a filter',
  options: { data: 'a folder that npm run bench:seed wrote' },
  runs: 7,
  by: ['view'],
  async run({ data }, runs, progress) {
    if (data === undefined) {
      throw new UsageError('--data must name a folder that npm run bench:seed wrote');
    }
    await setup();
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
  /** Cumulative layout shift, without what follows input: https://web.dev/articles/cls. */
  shift: number;
}

const views: readonly { view: string; address: string; what: keyof typeof shownWhen }[] = [
  { view: 'overview, 24 hours', address: '/', what: 'overview' },
  { view: 'overview, 14 days', address: '/?range=14d', what: 'overview' },
  { view: 'alerts', address: '/alerts', what: 'alerts' },
  { view: 'map, lanes', address: '/map?view=lanes', what: 'map' },
  { view: 'map, world', address: '/map?view=world', what: 'map' },
  { view: 'insights', address: '/insights', what: 'insights' },
  { view: 'settings, threat feeds', address: '/settings?section=feeds', what: 'settings' },
  // The last one is then scrolled.
  { view: 'connections, 24 hours', address: '/connections', what: 'rows' },
  { view: 'connections, 14 days', address: '/connections?range=14d', what: 'rows' },
];
const typed = '19.7';
const steps = 40;
/** Rows, if the log has as many. */
const mostScrolled = 100_000;

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
    for (const { view, address, what } of views) {
      await page.goto(new URL(address, hub.url).href);
      await until(page, `window.shownAt.${what}`);
      const shownMs = Number(await page.evaluate(`window.shownAt.${what}`));
      await page.waitForLoadState('networkidle');
      figures.push({ view, shownMs, targetMs: 600, ...(await tasksOf(page)) });
    }
    figures.push(await scroll(page), await type(page));
  }
  return figures;
}

async function scroll(page: Page): Promise<WebFigures> {
  const taken: number[] = [];
  const count = Number(await page.evaluate(`document.querySelector('section.log table').ariaRowCount`));
  const scrolled = Math.min(mostScrolled, Math.floor(count * 0.9));
  const all = { longTasks: 0, longestMs: 0, shift: 0 };
  for (let step = 1; step <= steps; step += 1) {
    const elapsed = stopwatch();
    await page.evaluate(`document.querySelector('section.log').scrollTop =
      ${(step * scrolled) / steps} * document.querySelector('section.log tbody tr').offsetHeight`);
    await page.evaluate(drawn);
    await until(page, `${rowsShown} && !document.querySelector('section.log td.waiting')`);
    taken.push(elapsed());
    const { longTasks, longestMs, shift } = await tasksOf(page);
    all.longTasks += longTasks;
    all.longestMs = Math.max(all.longestMs, longestMs);
    all.shift += shift;
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

/**
 * Resolves in the first frame in which it is true; strings are only evaluated by the debugger, as the policy wants it.
 * Rejects after half a minute with the address and the condition.
 */
async function until(page: Page, condition: string): Promise<void> {
  const elapsed = stopwatch();
  while (!(await page.evaluate(`Boolean(${condition})`))) {
    if (elapsed() > 30_000) {
      throw new Error(`${page.url()} did not come to show what was asked for: ${condition}`);
    }
    await page.evaluate(drawn);
  }
}

/** What the page was measured doing since the last call. */
async function tasksOf(page: Page): Promise<Pick<WebFigures, 'longTasks' | 'longestMs' | 'shift'>> {
  // Entries come a moment behind their task.
  await page.evaluate(drawn);
  const { longTasks, shift } = (await page.evaluate('window.takeFigures()')) as { longTasks: number[]; shift: number };
  return { longTasks: longTasks.length, longestMs: Math.max(0, ...longTasks), shift: Number(shift.toFixed(3)) };
}

// What follows runs in the page.
const rowsShown = `document.querySelectorAll('section.log td.dst').length > 5`;
const more = (selector: string, count: number) => `document.querySelectorAll('${selector}').length > ${count}`;
/** When what the view is opened for is there. */
const shownWhen = {
  rows: rowsShown,
  overview: more('main .overview a[href*="connections"]', 5),
  alerts: more('li[data-alert]', 10),
  map: more('main svg path, main svg rect', 20),
  insights: more('main .card li', 5),
  settings: more('main .card', 0),
} as const;
const drawn = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)))';
/** The frame in which each view was there first is kept, every long task, and how far things moved by themselves. */
const watchPage = `window.longTasks = [];
  window.shift = 0;
  window.takeFigures = () => {
    const taken = { longTasks: window.longTasks.splice(0), shift: window.shift };
    window.shift = 0;
    return taken;
  };
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => list.getEntries().forEach(({ value, hadRecentInput }) => {
    if (!hadRecentInput) window.shift += value;
  })).observe({ type: 'layout-shift', buffered: true });
  window.shownAt = {};
  new MutationObserver(() => {
    ${Object.entries(shownWhen)
      .map(([what, condition]) => `if (${condition}) window.shownAt.${what} ??= performance.now();`)
      .join('\n    ')}
  }).observe(document, { childList: true, subtree: true });`;
