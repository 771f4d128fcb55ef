// Languages, themes and narrow screens, and what axe says of each place: in a real browser.
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { startPlaced } from '../support/map-lab.ts';
import { seeAsAgents } from '../support/seen-as-agents.ts';
import {
  latinLabels,
  listed,
  openAt,
  openPage,
  pageWidth,
  startHousehold,
  styleOf,
  suspect,
  withChromium,
} from '../support/web-lab.ts';

const open = `open=${encodeURIComponent([suspect, listed, 443, 'TCP'].join())}`;
const sections = [
  ...['routers', 'agents', 'sources', 'sign-in', 'assistants', 'feeds', 'alerts'],
  ...['chat', 'ai', 'general', 'backups', 'audit', 'about'],
];
const map = '.map-table tbody tr';

/** Addresses, what is there once they are shown, and whether all of their labels are of the page. */
const views = [
  { address: '/', shown: '.ranked li', isTranslated: true },
  { address: '/connections', shown: '.log td button', isTranslated: true },
  { address: `/connections?${open}`, shown: '.drawer dl', isTranslated: true },
  { address: '/map?view=lanes&device=192.168.100.33', shown: map, isTranslated: true },
  { address: '/map?view=graph&device=192.168.100.33', shown: `.graph[aria-busy="false"], .lanes`, isTranslated: true },
  { address: '/map?view=world&device=192.168.100.33', shown: '.world', isTranslated: true },
  { address: '/insights?range=1h', shown: '.ranked li', isTranslated: true },
  { address: '/devices', shown: 'tbody tr', isTranslated: true },
  { address: '/devices/192.168.100.33', shown: '.days', isTranslated: true },
  { address: '/devices/nobody', shown: '.note', isTranslated: true },
  { address: '/alerts', shown: '.alerts li', isTranslated: true },
  { address: '/docs', shown: '.entry', isTranslated: false },
  { address: '/docs?op=connections.list', shown: '.operation', isTranslated: false },
  ...sections.map((section) => {
    return { address: `/settings?section=${section}`, shown: '.section .card', isTranslated: true };
  }),
];
/** Of products, protocols and lists, and of the devices here: they are the same in each language. */
const names =
  /Gatehouse|English|JSON|HTTP|OIDC|stdio|OAuth|Feodo Tracker|ThreatFox|URLhaus|Spamhaus DROP|abuse\.ch|AbuseIPDB|VirusTotal|Ollama|LM Studio|llama\.cpp|Anthropic|OpenAI|AWS Bedrock|desktop-02|lab-box|laptop-01|phone-[ab]|printer|thermostat|tv-living/g;
const labels = 'thead th, .comparison :is(th, td), nav, caption, h1, h2, label, summary, main button, .legend li';

/** A text, because what it names is the browser's: the layout shift of a page (0.1 and less is good). */
const sumShifts = `globalThis.shifted = 0;
new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => void (shifted += value)))
  .observe({ type: 'layout-shift', buffered: true })`;

/** A text, because what it names is the browser's. What is beyond the left edge appears with the focus. */
const smallTargets = `[...document.querySelectorAll('a[href], button, input, select, summary, textarea')].flatMap((one) => {
  const { width, height, left } = (one.closest('label') ?? one).getBoundingClientRect();
  const isSmall = one.checkVisibility() && left >= 0 && (width < 23.5 || height < 23.5);
  return isSmall ? [one.parentElement.className + ' > ' + one.outerHTML.slice(0, 80)] : [];
})`;

withChromium(() => {
  test('the page speaks Japanese at once and after a reload, and says so', async () => {
    await using site = await openAt(startHousehold(), '/');
    const { browser, page } = site;
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.getByText('Account').click();
    await page.getByLabel('Language').selectOption('日本語');
    await page.getByRole('link', { name: '概要' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('ja');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: /台の機器が/ }).waitFor();
    await page.goto(browser.at('/connections'));
    await page.getByRole('heading', { level: 1, name: /^接続 \d+ 件$/ }).waitFor();
  });

  test('the theme follows the system until one is chosen, which the browser remembers', async () => {
    await using site = await openAt(startHousehold(), '/', { colorScheme: 'dark' });
    const { page } = site;
    const ground = () => styleOf(page.locator('html'), 'background-color');
    expect(await ground()).toBe('rgb(17, 19, 21)');
    await page.getByText('Account').click();
    await page.getByLabel('Theme').selectOption('Light');
    await expect.poll(ground).toBe('rgb(247, 247, 245)');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await ground()).toBe('rgb(247, 247, 245)');
  });

  test.each([
    ['light', 'en', 1440],
    ['dark', 'ja', 1440],
    ['light', 'ja', 390],
    ['dark', 'en', 390],
  ] as const)('every place in %s, %s, %d px: axe, width, language', async (colorScheme, language, width) => {
    await using site = await openAt(startPlaced(), '/', {
      colorScheme,
      // The policy of the page would refuse the script of axe.
      bypassCSP: true,
      reducedMotion: 'reduce',
      hasTouch: width < 720,
      viewport: { width, height: 844 },
    });
    const { browser, page } = site;
    await page.evaluate(`localStorage.setItem('gatehouse.language', '${language}')`);
    for (const { address, shown, isTranslated } of views) {
      await page.goto(browser.at(address));
      await page.locator(shown).first().waitFor();
      // The dictionary comes on its own.
      await expect.poll(() => page.getAttribute('html', 'lang')).toBe(language);
      expect([address, await seriousFindings(page)]).toEqual([address, []]);
      expect([address, await pageWidth(page)]).toEqual([address, expect.toSatisfy((one: number) => one <= width)]);
      if (width === 1440) {
        // As many pixels as 1440 of them have at 200 %, and a small desktop.
        for (const narrower of [720, 1024]) {
          await page.setViewportSize({ width: narrower, height: 844 });
          await expect.poll(() => pageWidth(page), { message: `${address} ${narrower}` }).toBeLessThanOrEqual(narrower);
        }
        await page.setViewportSize({ width, height: 844 });
      }
      if (language === 'ja' && isTranslated) {
        expect([address, await latinLabels(page.locator(labels), names)]).toEqual([address, []]);
      }
    }
  });

  test('nothing that is shown moves when a part comes late', async () => {
    await using lab = await startPlaced();
    await seeAsAgents(lab, ['pump', 'pump']);
    await using browser = await openPage(lab, { viewport: { width: 1440, height: 844 } });
    const { page } = browser;
    await browser.logIn('/');
    await page.addInitScript({ content: sumShifts });
    for (const late of [
      '**/merge-candidates?*',
      '**/world-map*',
      '**/api/config/threat-feeds',
      '**/api/threat/feeds',
      '**/api/coverage?*',
    ]) {
      await page.route(late, async (route) => {
        await page.waitForTimeout(600);
        await route.continue();
      });
    }
    const last = {
      '/devices': page.locator('.pair, tbody tr').first(),
      '/map?view=world': page.locator('svg.world'),
      '/settings?section=feeds': page.getByRole('button', { name: 'Save' }).nth(1),
    };
    for (const [address, shown] of Object.entries(last)) {
      await page.goto(browser.at(address));
      await shown.waitFor();
      await page.waitForTimeout(1000);
      expect([address, await page.evaluate('shifted')]).toEqual([
        address,
        expect.toSatisfy((sum: number) => sum < 0.1),
      ]);
    }
    // The bar at the top of a small screen.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(browser.at('/settings?section=general'));
    await page.getByRole('button', { name: /observed$/ }).waitFor();
    await page.waitForTimeout(300);
    expect(await page.evaluate('shifted')).toSatisfy((sum: number) => sum < 0.1);
  });

  test('390 px wide, everything that can be pressed is at least 24 px wide and tall', async () => {
    await using site = await openAt(startPlaced(), '/', { viewport: { width: 390, height: 844 } });
    const { browser, page } = site;
    const small: string[] = [];
    for (const { address, shown } of views) {
      await page.goto(browser.at(address));
      await page.locator(shown).first().waitFor();
      small.push(...((await page.evaluate(smallTargets)) as string[]).map((one) => `${address}: ${one}`));
    }
    expect(small).toEqual([]);
  });

  test('a choice is as wide as its place, why buttons are disabled stands at their middle, and a phone cuts no title', async () => {
    await using site = await openAt(startHousehold(), '/', { viewport: { width: 1440, height: 900 } });
    const { browser, page } = site;
    const answer = (address: string, change: (reply: never) => unknown) =>
      page.route(address, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: change((await response.json()) as never) });
      });
    await answer('**/api/devices?*', ({ devices, ...rest }: { devices: object[] }) => {
      return {
        ...rest,
        devices: devices.map((one) => ({ ...one, vendor: 'A maker of network adapters with a long name' })),
      };
    });
    await answer('**/api/alerts?*', ({ alerts, ...rest }: { alerts: { lead: object }[] }) => {
      const lead = {
        srcDnsName: 'anna-laptop',
        dst: '203.0.113.77',
        dstHost: 'status.mail-relay.example',
        dport: 8443,
      };
      return {
        ...rest,
        alerts: alerts.map((one) => ({ ...one, kind: 'retro_match', lead: { ...one.lead, ...lead } })),
      };
    });
    const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { y: 0, width: 0, height: 0 };
    await page.goto(browser.at('/devices'));
    const maker = page.locator('label', { hasText: /^Maker/ });
    const besideChoice = (await boxOf(maker)).width - (await boxOf(maker.locator('select'))).width;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(browser.at('/'));
    const titles = page.locator('.alert-title a');
    await titles.first().waitFor();
    const cut = await titles.first().evaluate((element) => {
      const { scrollHeight, clientHeight } = element as never as { scrollHeight: number; clientHeight: number };
      return scrollHeight - clientHeight;
    });
    await page.setViewportSize({ width: 1440, height: 900 });
    await browser.enterAs('operator', '/settings?section=routers');
    const [button, reason] = [page.locator('.permitted button').first(), page.locator('.permitted small').first()];
    await reason.waitFor();
    const [one, other] = [await boxOf(button), await boxOf(reason)];
    const offMiddle = Math.abs(one.y + one.height / 2 - other.y - other.height / 2);
    expect([besideChoice, cut, offMiddle].map((pixels) => pixels < 2)).toEqual([true, true, true]);
  });
});
