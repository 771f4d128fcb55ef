// A hub that serves the web UI, and a browser at it: the clock of the page is that of the lab.
import { rmSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { Role } from '#contract/auth-records.ts';
import type { HubOptions } from '#hub/base/config.ts';
import {
  type BrowserOptions,
  chromiumPackages,
  closeSharedBrowser,
  openBrowser,
  startSharedBrowser,
  type WebBrowser,
} from './browser.ts';
import { type DetectionLab, device, startDetectionLab } from './detection-lab.ts';
import { writeEnrichment } from './enrichment-files.ts';
import { type Lab, startLab } from './lab.ts';
import { watchLeaks } from './leak-guard.ts';
import { withPrograms } from './real-programs.ts';
import { browserAs } from './role-session.ts';
import { makeFolder } from './temporary-folder.ts';
import { builtWeb } from './web-build.ts';

export interface AtPage extends WebBrowser {
  /** The address of a path of the hub. */
  at(path: string): string;
  /** Opens a path and logs in there. */
  logIn(path?: string): Promise<void>;
  /** Opens a path with a session of this role. */
  enterAs(role: Role, path: string): Promise<void>;
}

/** A listed destination of `startHousehold`. */
export const listed = '203.0.113.80';

/** A browser at a hub of this process. */
export async function openPage(
  lab: Pick<Lab<never>, 'url' | 'clock' | 'password' | 'dataDir'>,
  options: Partial<BrowserOptions> = {},
): Promise<AtPage> {
  const browser = await openBrowser({ origin: lab.url.origin, now: lab.clock.now(), ...options });
  const { page } = browser;
  const at = (path: string) => new URL(path, options.origin ?? lab.url).href;
  return {
    ...browser,
    at,
    async logIn(path = '/') {
      await page.goto(at(path));
      await page.getByLabel('Password').fill(lab.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('navigation', { name: 'Places' }).waitFor();
    },
    async enterAs(role, path) {
      const { cookies } = await browserAs(lab, role);
      await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: at('/') })));
      await page.goto(at(path));
      await page.getByRole('navigation', { name: 'Places' }).waitFor();
    },
  };
}

/** A group of tests with a browser, each with its own pages. */
export function withChromium(body: () => void): void {
  withChromiumAnd([], [], body);
}

/** The same for tests that need other programs too; apt-get would have to install `packages`. */
export function withChromiumAnd(packages: readonly string[], programs: readonly string[], body: () => void): void {
  withPrograms([chromiumPackages, ...packages].join(' '), ['chromium-headless-shell', ...programs], () => {
    beforeAll(startSharedBrowser);
    afterAll(closeSharedBrowser);
    body();
  });
}

type PageLab = Pick<Lab<never>, 'url' | 'clock' | 'password' | 'dataDir'> & AsyncDisposable;

/** A browser at a lab that is started for it; logged in at `path`, or at no page when that is null. */
export async function openAt<L extends PageLab>(
  starting: Promise<L>,
  path: string | null,
  options: Partial<BrowserOptions> = {},
) {
  await using opened = new AsyncDisposableStack();
  const lab = opened.use(await starting);
  const browser = opened.use(await openPage(lab, options));
  if (path !== null) {
    await browser.logIn(path);
  }
  const held = opened.move();
  return { lab, browser, page: browser.page, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/** The number of connections in the heading of the log. */
export async function shownTotal(page: Page): Promise<number> {
  const heading = page.getByRole('heading', { level: 1, name: /^[\d,]+ connections?$/ });
  return Number((await heading.textContent())?.replace(/\D/g, ''));
}

export const isFocused = (element: Locator) => element.evaluate((one) => one === one.ownerDocument.activeElement);

/** In pixels; more than the window when something reaches beyond its edge. */
export const pageWidth = (page: Page) => page.evaluate('document.documentElement.scrollWidth') as Promise<number>;

/** A property of the style that the browser computes. */
export const styleOf = (element: Locator, property: string): Promise<string> =>
  element.evaluate(
    (one, name) => (globalThis as never as Styles).getComputedStyle(one).getPropertyValue(name),
    property,
  );

interface Styles {
  getComputedStyle(element: unknown): { getPropertyValue(name: string): string };
}

/** The labels in which Latin words are left, whatever else they say; names of `allowed` are none. */
export async function latinLabels(labels: Locator, allowed = /Gatehouse/g): Promise<string[]> {
  return (await labels.allTextContents()).filter((label) => /[A-Za-z]{4,}/.test(label.replace(allowed, '')));
}

/** A hub without routers, or with these options. */
export function startWebLab(hub: Partial<HubOptions> = {}): Promise<Lab<never>> {
  return startLab({ hub: { webFolder: builtWeb(), ...hub } });
}

/** Devices with connections to organisations that are known, one of them to a listed destination, which was detected. */
export async function startHousehold(hub: Partial<HubOptions> = {}): Promise<DetectionLab> {
  await using opened = new AsyncDisposableStack();
  opened.use(watchLeaks());
  const folder = makeFolder('enrichment');
  opened.defer(() => rmSync(folder, { recursive: true }));
  const enrichmentDir = writeEnrichment(folder, {
    orgs: { '198.51.100.0-198.51.100.127': 'Cloud One', '198.51.100.128-198.51.100.255': 'Media & Sons <AG>' },
    countries: { '198.51.100.0-198.51.100.127': 'DE', '198.51.100.128-198.51.100.255': 'JP' },
  });
  const lab = opened.use(await startDetectionLab({ hub: { webFolder: builtWeb(), enrichmentDir, ...hub } }));
  // Connections that are in the last day and not in the last hour.
  for (const src of ['192.168.100.31', '192.168.100.33']) {
    const dst = '198.51.100.200';
    lab.routers.home.flow({ src, dst, dport: 993, proto: 'tcp', lastsMs: 30_000, ends: 'silent' });
  }
  await lab.poll();
  await lab.skip(2 * 3_600_000);
  for (const [index, src] of ['192.168.100.31', '192.168.100.32', '192.168.100.33'].entries()) {
    for (let dst = 0; dst <= 3 * index; dst += 1) {
      lab.routers.home.flow({ src, dst: `198.51.100.${100 + 10 * dst}`, dport: 443, proto: 'tcp' });
    }
  }
  lab.contact(listed);
  await lab.poll();
  await lab.list(listed);
  await lab.poll();
  const whole = opened.move();
  return Object.assign(Object.create(lab) as DetectionLab, { [Symbol.asyncDispose]: () => whole.disposeAsync() });
}

/** The device of `startHousehold` that contacts the listed destination. */
export const suspect = device;
