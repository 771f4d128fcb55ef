// A real Chromium with a page that tolerates nothing: an error or a warning on its console, an exception, a report of its
// policy, or a request to another origin fails the test when the browser is closed.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import { watchLeaks } from './leak-guard.ts';

/** What apt-get would have to install. */
export const chromiumPackages = 'chromium-headless-shell fonts-noto-cjk';
const executablePath = '/usr/bin/chromium-headless-shell';
const comesWithinMs = 10_000;
/** Finds tests that read a page before its answers came: each request of the API waits a random time up to this one. */
const slowestAnswerMs = Number(process.env.TEST_SLOWEST_ANSWER_MS ?? 0);

export interface BrowserOptions extends BrowserContextOptions {
  /** The only origin that the page may ask. */
  origin: string;
  /** What `Date` says in the page, which then stands still; the time of the machine when absent. */
  now?: number;
  /** More arguments for Chromium. */
  args?: readonly string[];
}

export interface WebBrowser extends AsyncDisposable {
  readonly page: Page;
  /** Faults that match are expected while `work` runs; at least one must come. */
  expecting<T>(fault: RegExp, work: () => Promise<T>): Promise<T>;
  /**
   * Requests to these addresses (a pattern of Playwright) get no answer while `work` runs: none of them leaves the browser.
   * At least one must be made; that the console names each is expected.
   */
  withoutAnswer(pattern: string, work: () => Promise<void>): Promise<void>;
}

/** The browser of all pages; null while each page starts its own. */
let shared: Browser | null = null;

/** Starts a browser that all pages use until it is closed. To start one takes a second of a processor. */
export async function startSharedBrowser(): Promise<void> {
  shared = await launch([]);
}

export async function closeSharedBrowser(): Promise<void> {
  await shared?.close();
  shared = null;
}

/** Opens a page with cookies and storage of its own. */
export async function openBrowser({ origin, now, args = [], ...options }: BrowserOptions): Promise<WebBrowser> {
  await using opened = new AsyncDisposableStack();
  opened.use(watchLeaks());
  const browser = args.length === 0 && shared ? shared : opened.adopt(await launch(args), (one) => one.close());
  const newContext = browser.newContext({ locale: 'en-US', timezoneId: 'UTC', ...options });
  const page = await opened.adopt(await newContext, (context) => context.close()).newPage();
  page.setDefaultTimeout(120_000);
  if (now !== undefined) {
    await page.clock.setFixedTime(now);
  }
  const faults: string[] = [];
  opened.defer(() => {
    if (faults.length > 0) {
      throw new Error(`the page is not without faults:\n${faults.join('\n')}`);
    }
  });
  await watch(page, origin, (fault) => void faults.push(fault));
  if (slowestAnswerMs > 0) {
    const stop = new AbortController();
    opened.defer(() => stop.abort());
    await delayAnswers(page, stop.signal);
  }
  // The console tells of a request some time after the page has shown how it ended.
  const take = async (before: number, fault: RegExp, least: () => number) => {
    const came = () => faults.slice(before).filter((one) => fault.test(one)).length;
    for (const until = Date.now() + comesWithinMs; came() < least() && Date.now() < until; ) {
      await sleep(20);
    }
    const missing = least() - came();
    faults.push(...faults.splice(before).filter((one) => !fault.test(one)));
    if (missing > 0) {
      faults.push(`${fault} was expected and did not come (${missing} of ${least()})`);
    }
  };
  const held = opened.move();
  return {
    page,
    async expecting(fault, work) {
      const before = faults.length;
      const result = await work();
      await take(before, fault, () => 1);
      return result;
    },
    // The offline switch of the browser takes effect some time after the call, and a request may pass it.
    async withoutAnswer(pattern, work) {
      const before = faults.length;
      let aborted = 0;
      await page.route(pattern, (route) => {
        aborted += 1;
        return route.abort('internetdisconnected');
      });
      await work();
      await page.unroute(pattern);
      await take(before, /ERR_INTERNET_DISCONNECTED/, () => Math.max(1, aborted));
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

function launch(args: readonly string[]): Promise<Browser> {
  // Tests run as root, in places where /dev/shm may be small.
  const usual = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  return chromium.launch({ executablePath, args: [...usual, ...args], handleSIGINT: false });
}

/** A request that still waits when the page is closed is not sent. */
async function delayAnswers(page: Page, signal: AbortSignal): Promise<void> {
  await page.route('**/api/**', async (route) => {
    const isEarly = await sleep(Math.random() * slowestAnswerMs, true, { signal }).catch(() => false);
    await (isEarly ? route.continue() : route.abort()).catch((error: Error) => {
      if (!/closed|handled|Invalid InterceptionId/.test(error.message)) {
        throw error;
      }
    });
  });
}

async function watch(page: Page, origin: string, report: (fault: string) => void): Promise<void> {
  page.on('console', (message: ConsoleMessage) => {
    if (['error', 'warning'].includes(message.type())) {
      report(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  page.on('pageerror', ({ message, stack }) => report(`exception: ${stack ?? message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    // Where a person goes, as to an issuer, is no request of the page.
    if (url.origin !== origin && !request.isNavigationRequest() && !['data:', 'blob:'].includes(url.protocol)) {
      report(`request to another origin: ${url.href}`);
    }
  });
  await page.exposeFunction('reportPolicy', (text: string) => report(`policy: ${text}`));
  await page.addInitScript({ content: reportViolations });
}

/** A text, because what it names is the browser's. */
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  reportPolicy([event.violatedDirective, event.blockedURI, event.sample].join(' ')))`;
