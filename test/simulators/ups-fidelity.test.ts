// Holds the simulated UPS to the fixtures: the same pages byte for byte, the same answers to the recorded requests.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'parse5';
import { expect, test } from 'vitest';
import { createSelfSigned } from '#simulators/support/certificates.ts';
import type { UpsFault } from '#simulators/ups/faults.ts';
import type { Node } from '#simulators/ups/html-tree.ts';
import { localeNames } from '#simulators/ups/pages/locales.ts';
import type { UpsSettings } from '#simulators/ups/settings.ts';
import { startUps } from '#simulators/ups/ups.ts';
import type { ValuesChange } from '#simulators/ups/values.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { root } from '../support/program.ts';
import { inputValue, openUps } from '../support/ups-browser.ts';
import { verifies } from '../support/verifies.ts';

const folder = path.join(root, 'fixtures/ups/1.4.0');
const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');
const token = 'a1b2c3d4e5f60718';

interface State {
  settings?: Partial<UpsSettings>;
  values?: ValuesChange;
  /** What happened before the page is asked for. */
  before?: 'log on' | 'wrong password' | 'locked' | 'other logged on' | 'nothing';
  /** What shows in the page that is asked for then. */
  fault?: UpsFault;
}

const perLanguage = localeNames.flatMap((locale): [string, State][] => [
  [`status.${locale}.html`, { settings: { locale }, before: 'log on' }],
  [`status-smart.${locale}.html`, { settings: { locale, model: 'smart' }, before: 'log on' }],
  [`logon.${locale}.html`, { settings: { locale } }],
  [`logon-already.${locale}.html`, { settings: { locale }, before: 'other logged on' }],
]);

const onBattery: ValuesChange = {
  DeviceStatus: 'battery',
  RuntimeRemaining: 21,
  InputVoltage: 0,
  BatteryCharge: 87.5,
  VoltageDC: 12.1,
};
const outlets = [
  { label: 'Main Outlet Group', on: true },
  { label: 'Outlet Group 1', on: false },
];

const states: [string, State][] = [
  ...perLanguage,
  ['status-onbattery.en.html', { values: onBattery, before: 'log on' }],
  ['status-boost.en.html', { settings: { model: 'smart' }, values: { DeviceStatus: 'boost' }, before: 'log on' }],
  ['status-outlet.en.html', { settings: { model: 'smart', outlets }, before: 'log on' }],
  ['status-thousands.en.html', { settings: { grouping: true }, values: { RuntimeRemaining: 1234 }, before: 'log on' }],
  ['status-na.en.html', { values: { RuntimeRemaining: '--', InputVoltage: 'N/A' }, before: 'log on' }],
  ['status-missing.en.html', { values: { RealPowerPct: null, VoltageDC: null }, before: 'log on' }],
  ['status-empty.en.html', { values: { RealPowerPct: '', InputVoltage: '   ' }, before: 'log on' }],
  ['logon-badpassword.en.html', { before: 'wrong password' }],
  ['logon-locked.en.html', { before: 'locked' }],
  ['logon-jsessionid.es.html', { settings: { locale: 'es' }, before: 'nothing' }],
  ['status-reordered.en.html', { before: 'log on', fault: 'attributes-reordered' }],
  ['status-singlequote.en.html', { before: 'log on', fault: 'single-quotes' }],
  ['status-uppercase.en.html', { before: 'log on', fault: 'upper-case' }],
  ['status-span.en.html', { before: 'log on', fault: 'span' }],
  ['status-changed-ids.en.html', { before: 'log on', fault: 'ids-renamed' }],
  ['status-all-ids-changed.en.html', { before: 'log on', fault: 'all-ids-renamed' }],
  ['status-nolang.html', { before: 'log on', fault: 'lang-missing' }],
  ['status-lang-enUS.html', { before: 'log on', fault: 'lang-region' }],
  ['logon-reordered.en.html', { fault: 'attributes-reordered' }],
  ['logon-singlequote.fr.html', { settings: { locale: 'fr' }, fault: 'single-quotes' }],
  ['logon-notoken.en.html', { fault: 'form-token-missing' }],
  ['error500.html', { before: 'log on', fault: 'error-500' }],
  ['error400-duplicate.html', { before: 'log on', fault: 'duplicate-session' }],
  ['empty.html', { before: 'log on', fault: 'empty-page' }],
];

/** The same page to a browser, in other bytes: the product's character references follow no rule that we know. */
const sameToBrowsers: [string, State][] = [
  [
    'status-entities.en.html',
    { values: { DeviceStatus: 'On Line, "AVR" <Boost> & Trim' }, before: 'log on', fault: 'references' },
  ],
];

const certificate = createSelfSigned(['127.0.0.1']);

async function start(settings: Partial<UpsSettings> = {}) {
  const ups = await startUps({ seed: 0, clock: new ManualClock(), certificate: await certificate, settings });
  return ups;
}

/** The page of a state, with the fixtures' token and session where live ones stand. */
async function pageIn({ settings = {}, values = {}, before, fault }: State): Promise<string> {
  await using ups = await start();
  await using browser = openUps(ups.url);
  ups.patch({ ...settings, values });
  const wrong = { ...ups.credentials, password: 'Wrong-password-1' };
  const arm = () => (fault ? ups.fail(fault, { times: 1 }) : undefined);
  if (before === 'log on') {
    await browser.logOn(ups.credentials);
    arm();
    return (await browser.open('/status')).text;
  }
  if (before === 'other logged on') {
    ups.logOnElsewhere();
  }
  if (before === 'locked') {
    await browser.logOn(wrong);
    await browser.logOn(wrong);
  }
  if (before === 'wrong password' || before === 'locked') {
    return masked((await browser.logOn(wrong)).text);
  }
  await (before === 'nothing' ? null : browser.open('/status'));
  arm();
  return masked((await browser.open('/logon')).text);
}

function masked(page: string): string {
  const live = inputValue(page, 'formtoken') ?? token;
  return page.replace(live, token).replace(/node0\w{20,}\.node0/, 'node0abc123def4560.node0');
}

for (const [name, state] of states) {
  verifies('sim.ups.fixtures card.ups-simulator.element-ids', name, async () => {
    expect(await pageIn(state)).toBe(text(name));
  });
}

for (const [name, state] of sameToBrowsers) {
  verifies('sim.ups.fixtures', name, async () => {
    expect(treeOf(parse(await pageIn(state)))).toEqual(treeOf(parse(text(name))));
  });
}

/** Elements with their attributes, and text with its white space collapsed. */
function treeOf(node: Node): unknown {
  if ('value' in node) {
    return node.value.replace(/\s+/g, ' ');
  }
  const attributes = 'attrs' in node ? node.attrs.map(({ name, value }) => `${name}=${value}`).sort() : [];
  return [node.nodeName, attributes, 'childNodes' in node ? node.childNodes.map(treeOf) : []];
}

test('every page of the fixtures is some state of the simulator', () => {
  const pages = readdirSync(folder).filter((name) => name.endsWith('.html'));
  expect([...states, ...sameToBrowsers].map(([name]) => name).sort()).toEqual(pages.sort());
});

interface Exchange {
  request: { method: string; path: string; form?: Record<string, string> };
  response: { status: number; location?: string; setCookie?: string[]; page?: string; lang?: string };
}

const exchanges = JSON.parse(text('exchanges.json')) as Record<string, Exchange[]>;

const sequences: Record<string, Partial<UpsSettings>> = {
  'login-ok.en': {},
  'login-ok.ja': { locale: 'ja' },
  'already-on-get': {},
  'already-on-post': { busyOn: 'post' },
  'bad-password-then-locked': {},
  expired: {},
  'hex-cookie-302-relative': { cookieName: '27fce5a4fb7ad280', redirectStatus: 302, location: 'relative' },
};

test('every recorded sequence is replayed', () => {
  expect(Object.keys(sequences)).toEqual(Object.keys(exchanges));
});

for (const [name, settings] of Object.entries(sequences)) {
  verifies('sim.ups.exchanges', name, async () => {
    const clock = new ManualClock();
    await using ups = await startUps({ seed: 0, clock, certificate: await certificate, settings });
    await using browser = openUps(ups.url);
    if (name.startsWith('already-on')) {
      ups.logOnElsewhere();
    }
    const seen = { page: '' };
    for (const [at, { request, response }] of (exchanges[name] ?? []).entries()) {
      if (name === 'expired' && at === 3) {
        await clock.advance(900_001);
      }
      const password = name.startsWith('bad-password') ? 'Wrong-password-1' : ups.credentials.password;
      const form = request.form && live(request.form, seen.page, password);
      const answer = await browser.send(request.path.replace(/;.*/, ''), form);
      seen.page = answer.text;
      const where = `${name} ${at}: ${request.method} ${request.path}`;
      expect([
        where,
        answer.status,
        normal(answer.location, ups.url),
        answer.setCookies.map((one) => normal(one, ups.url)),
      ]).toEqual([where, response.status, response.location ?? null, response.setCookie ?? []]);
      expect([where, answer.contentType]).toEqual([where, 'text/html;charset=utf-8']);
      expect([where, kindOf(answer.text)]).toEqual([where, response.page ?? 'empty']);
      if (response.lang) {
        expect(answer.text).toContain(`<html lang="${response.lang}">`);
      }
    }
  });
}

function live(form: Record<string, string>, page: string, password: string): Record<string, string> {
  const own: Record<string, string> = { '***': password, TOKEN: inputValue(page, 'formtoken') ?? '' };
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, own[value] ?? value]));
}

/** With the recording's address and session placeholder. */
function normal(header: string | null, url: URL): string | null {
  return header?.replace(url.host, '127.0.0.1:6547').replace(/node0\w{20,}\.node0/, 'node0SESSION.node0') ?? null;
}

function kindOf(page: string): string {
  if (page === '') {
    return 'empty';
  }
  const logonKind = page.includes('id="alreadyLoggedOn"') ? 'logon-already' : 'logon';
  return page.includes('id="value_DeviceStatus"') ? 'status' : logonKind;
}

/** SHA-256 over names and digests of all files, in the order of their names. */
const frozenDigest = 'd5a61d9b6a5c44a0ba25b5f8c0e74136f232fd0a2adbf5a82fe62fd80cfd192f';

test('fixtures/ups/1.4.0 is frozen: a change of the product is a new folder', () => {
  const digest = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
  const files = readdirSync(folder).sort();
  const lines = files.map((name) => `${digest(readFileSync(path.join(folder, name)))}  ${name}\n`);
  expect([files.length, digest(lines.join(''))]).toEqual([47, frozenDigest]);
});
