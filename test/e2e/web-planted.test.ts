// Hostile names wherever a name can come from, seen in a real browser: on every place each stays within itself, shows what
// hides in it, and makes no page wider.
import { expect, test } from 'vitest';
import { agentFacts, applyFor, batchOf, enrolAgent, observation } from '../support/agents.ts';
import { plant, planted, plantNames } from '../support/planted-names.ts';
import { seeAsAgents } from '../support/seen-as-agents.ts';
import { type AtPage, openPage, startHousehold, withChromium } from '../support/web-lab.ts';

interface Look {
  faults: string[];
  /** Which planted names were shown. */
  words: string[];
  /** What reaches beyond the right edge. */
  tooWide: string[];
}

/** A text, because what it names is the browser's. */
const look = `(() => {
  const begin = ${JSON.stringify(planted.begin)};
  const name = new RegExp(begin + '[^]*?(?:${planted.end}|$)', 'g');
  const hidden = /(?![\\n\\t])[\\p{C}\\p{Zl}\\p{Zp}]/u;
  const faults = new Set();
  const words = new Set();
  const pathOf = (element) => {
    const path = [];
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      path.unshift(at.localName + (at.getAttribute('class') ? '.' + at.getAttribute('class').split(' ')[0] : ''));
    }
    return path.join('>');
  };
  const noteWords = (text) => {
    for (const [, word] of text.matchAll(new RegExp(begin + '([a-zA-Z_.]+)', 'g'))) words.add(word);
  };
  // Where a narrow cell may break a name, the name is in pieces.
  for (const one of document.querySelectorAll('wbr')) {
    const { parentElement } = one;
    one.remove();
    parentElement.normalize();
  }
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (/^(script|style)$/.test(parentElement.localName)) continue;
    if (hidden.test(data)) faults.add('hidden text: ' + pathOf(parentElement) + ': ' + JSON.stringify(data.slice(0, 60)));
    if (!data.includes(begin)) continue;
    noteWords(data);
    const isAlone = parentElement.closest('option, svg text, svg title') !== null
      // With the number of alerts that need a look before it.
      || (parentElement === document.head.querySelector('title')
        && data.replaceAll(name, '').replace(/^\\(\\d+\\) /, '') === '');
    if (isAlone) continue;
    if (!parentElement.closest('bdi, [dir=auto]')) faults.add('not isolated: ' + pathOf(parentElement) + ': ' + data.slice(0, 60));
    // A sentence of the hub is from outside as a whole.
    else if (!parentElement.closest('.reasons, small > bdi') && /\\p{L}/u.test(data.replaceAll(name, ''))) faults.add('mixed: ' + pathOf(parentElement) + ': ' + data.slice(0, 90));
  }
  for (const element of document.querySelectorAll('*')) {
    for (const { name: attribute, value } of element.attributes) {
      if (attribute !== 'value' && hidden.test(value)) {
        faults.add('hidden in ' + attribute + ': ' + pathOf(element) + ': ' + JSON.stringify(value.slice(0, 60)));
      }
    }
  }
  if (hidden.test(document.title)) faults.add('hidden in the title');
  return { faults: [...faults], words: [...words], 
    tooWide: document.documentElement.scrollWidth > innerWidth
      ? [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > innerWidth).map(pathOf).slice(0, 3)
      : [] };
})()`;

/** Once what is shown stays the same. */
async function lookAt({ page }: AtPage): Promise<Look> {
  const shown = () =>
    page.evaluate('document.body.innerText + document.querySelectorAll("*").length') as Promise<string>;
  let before = '';
  for (let now = await shown(); now !== before; now = await shown()) {
    before = now;
    await page.waitForTimeout(250);
  }
  return (await page.evaluate(look)) as Look;
}

/** Which of the planted names the page shows somewhere. */
const everyWord = [
  ...['agent.agent_version', 'agent.host_name', 'agent.os_version', 'agent_request.agent_version'],
  ...[
    'agent_request.host_name',
    'agent_request.os_version',
    'alert.note',
    'alert_event.note',
    'alert_rule.reason',
    'alert_rule.target',
    'answer',
    'api_identity.label',
    'destination.host',
  ],
  ...[
    'destination.org',
    'detection.dst_host',
    'detection.src_dns_name',
    'detection.src_vendor',
    'detection.threat_tag',
    'device.dns_name',
  ],
  ...['device.mdns_name', 'device.netbios_name', 'event', 'interface.vendor', 'model', 'note', 'question', 'router'],
  ...['source.dns_name', 'source.vendor', 'threat.tag'],
];

async function startPlanted() {
  const lab = await startHousehold();
  await seeAsAgents(lab, ['pump', 'pump']);
  const { client } = await enrolAgent(lab);
  await client.agents.ingest({ body: batchOf(lab.clock.now(), [observation(lab.clock.now())]) });
  await applyFor(lab, { hostName: `${agentFacts.hostName}-2` });
  await lab.as.identity(['network.read']);
  const { alerts } = await lab.as.admin.alerts.list({});
  const params = { id: String(alerts[0]?.id) };
  await lab.as.admin.alerts.acknowledge({ params, body: { note: 'seen' } });
  await lab.as.admin.alerts.expect({ params, body: { scope: 'network', note: 'its maker' } });
  await lab.settled();
  await plantNames(lab);
  return lab;
}

async function addressesIn(lab: Awaited<ReturnType<typeof startHousehold>>): Promise<string[]> {
  const { connections } = await lab.as.admin.connections.list({ query: { limit: '3' } });
  const { alerts } = await lab.as.admin.alerts.list({});
  const { devices } = await lab.as.admin.devices.list({});
  const { conversations } = await lab.as.admin.ai.conversations({});
  const country = encodeURIComponent(plant('destination.org'));
  return [
    ...[
      '/',
      '/devices',
      '/alerts?state=all',
      '/alerts?view=rules',
      '/insights',
      '/insights?view=ask',
      '/insights?view=schedule',
      '/insights?view=usage',
    ],
    `/insights?view=ask&conversation=${conversations[0]?.conversationId}`,
    ...['/map', '/map?view=graph', '/map?view=world', '/connections', `/connections?fOrg=${country}`],
    ...connections.map(({ src, dst, dport, proto }) => `/connections?open=${[src, dst, dport, proto].join()}`),
    ...alerts.slice(0, 3).map(({ id }) => `/alerts?alert=${id}`),
    ...devices.slice(0, 3).map(({ deviceId }) => `/devices/${deviceId}`),
    ...['routers', 'agents', 'sign-in', 'feeds', 'chat', 'ai', 'backups', 'general', 'about'].map(
      (section) => `/settings?section=${section}`,
    ),
  ];
}

withChromium(() => {
  test('every name is isolated, shows its hidden characters, and widens nothing', async () => {
    await using lab = await startPlanted();
    const addresses = await addressesIn(lab);
    const faults = new Set<string>();
    const words = new Set<string>();
    await using browser = await openPage(lab, { viewport: { width: 1440, height: 900 } });
    const { page } = browser;
    await browser.logIn('/');
    for (const language of ['en', 'ja']) {
      await page.evaluate(`localStorage.setItem('gatehouse.language', '${language}')`);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 844 });
        for (const address of addresses) {
          await page.goto(browser.at(address));
          const { faults: found, words: seen, tooWide } = await lookAt(browser);
          const where = `${address.replace(/=[^&]{12,}/g, '=…')} ${width} ${language}`;
          found.forEach((fault) => void faults.add(`${where}: ${fault}`));
          seen.forEach((word) => void words.add(word));
          tooWide.forEach((element) => void faults.add(`${where}: too wide: ${element}`));
        }
      }
    }
    expect([...faults]).toEqual([]);
    expect([...words].sort()).toEqual(everyWord);
  });

  test('so is what routers, lists and backups say at the moment, which no database holds', async () => {
    await using lab = await startHousehold();
    await lab.as.admin.backup.create({ body: {} });
    await using browser = await openPage(lab);
    const { page } = browser;
    await browser.logIn('/');
    const say = (address: string, change: (answer: never) => unknown) =>
      page.route(address, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: change((await response.json()) as never) });
      });
    const plants = (word: string, names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, plant(`${word}.${name}`)]));
    await say('**/api/routers', ({ routers }: { routers: object[] }) => {
      const notes = [plant('router.note')];
      const noteFacts = [{ code: 'cells_merged' }];
      const said = { ...plants('router', ['model', 'message', 'displayName']), notes, noteFacts, complete: false };
      const samples = { count: 1, samples: [plant('router.sample')] };
      return {
        routers: routers.map((one) => ({ ...one, ...said, unparsed: samples, unsupported: samples })),
        maxRouters: 9,
      };
    });
    await say('**/api/threat/feeds', ({ feeds, ...rest }: { feeds: object[] }) => ({
      ...rest,
      feeds: feeds.map((one) => ({ ...one, ...plants('feed', ['message', 'credit', 'terms']) })),
    }));
    await say('**/api/backup/list', ({ diagnostics, ...rest }: { diagnostics: { entries: object[] } }) => {
      const entries = diagnostics.entries.map((one) => ({ ...one, error: plant('backup.error') }));
      const hook = { running: false, error: plant('backup.hook'), errorFacts: [] };
      return { ...rest, hook, diagnostics: { ...diagnostics, entries } };
    });
    const faults: string[] = [];
    const words = new Set<string>();
    for (const address of ['/', '/settings?section=routers', '/settings?section=feeds', '/settings?section=backups']) {
      await page.goto(browser.at(address));
      const found = await lookAt(browser);
      faults.push(...found.faults.map((fault) => `${address}: ${fault}`));
      found.words.forEach((word) => void words.add(word));
    }
    expect(faults).toEqual([]);
    expect([...words].sort()).toEqual([
      ...['backup.error', 'backup.hook', 'feed.credit', 'feed.message', 'feed.terms'],
      ...['router.displayName', 'router.message', 'router.model', 'router.note', 'router.sample'],
    ]);
  });
});
