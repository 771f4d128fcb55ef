// The simulated UPS over real HTTPS: sessions, login, lock, languages, values over time, control.
import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { upsControlRoutes } from '#simulators/ups/control.ts';
import { startUps } from '#simulators/ups/ups.ts';
import { serveControl } from '../support/control-client.ts';
import { inputValue } from '../support/ups-browser.ts';
import { shownAt, startUpsLab } from '../support/ups-lab.ts';
import { verifies } from '../support/verifies.ts';

const langOf = (page: string) => /lang="([^"]*)"/.exec(page)?.[1];
const isBusy = (page: string) => shownAt(page, 'alreadyLoggedOn') !== null;

verifies('sim.ups.real-https', 'TLS with a self-signed RSA certificate that nobody trusts unless told', async () => {
  await using ups = await startUps();
  const { hostname, port } = ups.url;
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate();
  expect(certificate.fingerprint256).toBe(ups.fingerprint256);
  expect(certificate.issuer).toEqual(certificate.subject);
  expect(socket.authorizationError).toMatch(/SELF_SIGNED/);
  expect(['TLSv1.2', 'TLSv1.3']).toContain(socket.getProtocol());
  socket.destroy();
});

verifies(
  'sim.ups.one-session card.ups-simulator.one-session',
  'a second person is told on the page, may throw the first one out, and is logged on',
  async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'both' } });
    const first = lab.browser();
    const second = lab.browser();
    expect(shownAt((await first.logOn(lab.ups.credentials)).text, 'value_DeviceStatus')).toBe('On Line');
    expect(isBusy((await second.open('/status')).text)).toBe(true);
    const refused = await second.logOn(lab.ups.credentials);
    expect(isBusy(refused.text)).toBe(true);
    expect(lab.ups.state()).toMatchObject({ loggedOn: 1, owner: 1 });
    expect((await second.send('/logoff')).setCookies).toEqual(['JSESSIONID=; Path=/; Max-Age=0']);
    expect(lab.ups.state()).toMatchObject({ loggedOn: 0, owner: null });
    expect(isBusy((await second.open('/status')).text)).toBe(false);
    expect(shownAt((await second.logOn(lab.ups.credentials)).text, 'value_BatteryCharge')).toBe('100.0');
    expect(shownAt((await first.open('/status')).text, 'value_BatteryCharge')).toBeNull();
  },
);

verifies(
  'sim.ups.one-session',
  'it is told before logging on, after it, or both; or nobody is ever in the way',
  async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'post' } });
    const first = lab.browser();
    await first.logOn(lab.ups.credentials);
    const second = lab.browser();
    expect(isBusy((await second.open('/status')).text)).toBe(false);
    expect(isBusy((await second.logOn(lab.ups.credentials)).text)).toBe(true);
    lab.ups.patch({ busyOn: 'get' });
    const third = lab.browser();
    expect(isBusy((await third.open('/status')).text)).toBe(true);
    expect(shownAt((await third.logOn(lab.ups.credentials)).text, 'value_DeviceStatus')).toBe('On Line');
    expect(lab.ups.state()).toMatchObject({ loggedOn: 1 });
    lab.ups.patch({ sessions: 'many' });
    expect(isBusy((await second.logOn(lab.ups.credentials)).text)).toBe(false);
    expect(lab.ups.state()).toMatchObject({ loggedOn: 2 });
  },
);

test('a hidden element is in every login page', async () => {
  await using lab = await startUpsLab({ settings: { busyElement: 'hidden' } });
  const { text } = await lab.browser().open('/logon');
  expect(text).toContain('<div id="alreadyLoggedOn" class="error" style="display:none">');
});

verifies('sim.ups.idle-limit', '900 idle seconds are not too many, one more is', async () => {
  await using lab = await startUpsLab();
  const browser = lab.browser();
  await browser.logOn(lab.ups.credentials);
  await lab.clock.advance(900_000);
  expect(shownAt((await browser.open('/status')).text, 'value_DeviceStatus')).toBe('On Line');
  await lab.clock.advance(900_001);
  expect(shownAt((await browser.open('/status')).text, 'value_DeviceStatus')).toBeNull();
  expect(lab.ups.journal()).toContainEqual(expect.objectContaining({ kind: 'session-expired', loggedOn: true }));
});

verifies('sim.ups.lock', 'three wrong passwords lock for two minutes, also the right one', async () => {
  await using lab = await startUpsLab();
  const browser = lab.browser();
  const { user } = lab.ups.credentials;
  for (const _try of [1, 2]) {
    const page = await browser.logOn({ user, password: 'Wrong-password-1' });
    expect(shownAt(page.text, 'loginError')).toBe('The user name or password is incorrect.');
  }
  await browser.logOn({ user, password: 'Wrong-password-1' });
  const locked = await browser.logOn(lab.ups.credentials);
  expect(shownAt(locked.text, 'loginError')).toBe('The account is locked. Try again in 2 minutes.');
  expect(lab.ups.state()).toMatchObject({ failures: 3, owner: null });
  await lab.clock.advance(120_000);
  const wrong = await browser.logOn({ user, password: 'Wrong-password-1' });
  expect(shownAt(wrong.text, 'loginError')).toBe('The user name or password is incorrect.');
  expect(lab.ups.state()).toMatchObject({ failures: 1 });
  expect(shownAt((await browser.logOn(lab.ups.credentials)).text, 'value_DeviceStatus')).toBe('On Line');
  expect(lab.ups.state()).toMatchObject({ failures: 0 });
});

test('a login without the token of the page, or with another text of its button, is refused and does not count', async () => {
  await using lab = await startUpsLab();
  const browser = lab.browser();
  const { user: j_username, password: j_password } = lab.ups.credentials;
  const { text } = await browser.open('/status');
  const form = { j_username, j_password, formtokenid: '/logon_formtoken' };
  const formtoken = inputValue(text, 'formtoken') ?? '';
  expect((await browser.send('/j_security_check', { ...form, login: 'Log On' })).location).toMatch(/\/logon\?error=2$/);
  const other = { ...form, login: 'Anmelden', formtoken };
  expect((await browser.send('/j_security_check', other)).location).toMatch(/\/logon\?error=2$/);
  lab.ups.patch({ checksLoginText: false });
  expect((await browser.send('/j_security_check', other)).location).toMatch(/\/status$/);
  expect(lab.ups.state()).toMatchObject({ failures: 0, loggedOn: 1 });
});

verifies(
  'sim.ups.languages card.ups-simulator.locale',
  'a language stays after logging off, for everybody; an unknown one is ignored',
  async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    const browser = lab.browser();
    expect(langOf((await browser.logOn(lab.ups.credentials)).text)).toBe('ja');
    const german = (await browser.open('/setLocale', { newLocale: 'de', targetURL: '/status' })).text;
    expect([langOf(german), shownAt(german, 'value_VoltageDC'), shownAt(german, 'value_DeviceStatus')]).toEqual([
      'de',
      '13,7',
      'Online',
    ]);
    await browser.open('/setLocale', { newLocale: 'xx', targetURL: '/status' });
    await browser.send('/logoff');
    expect(langOf((await lab.browser().open('/logon')).text)).toBe('de');
    expect(lab.ups.state()).toMatchObject({ locale: 'de', firstLocale: 'ja' });
    lab.ups.patch({ localeScope: 'session' });
    await browser.logOn(lab.ups.credentials);
    await browser.send('/setLocale', { newLocale: 'fr', targetURL: '//elsewhere.example/' });
    expect(langOf((await browser.open('/status')).text)).toBe('fr');
    expect(lab.ups.state()).toMatchObject({ locale: 'de' });
  },
);

test('a change of language needs a login and leads to a page of this site only', async () => {
  await using lab = await startUpsLab({ settings: { location: 'relative' } });
  const browser = lab.browser();
  const form = { newLocale: 'ja', targetURL: '//elsewhere.example/' };
  expect((await browser.send('/setLocale', form)).location).toMatch(/^\/logon/);
  await browser.logOn(lab.ups.credentials);
  expect((await browser.send('/setLocale', form)).location).toBe('/status');
});

test('two valid session cookies are answered 400; two of which one is over are not', async () => {
  await using lab = await startUpsLab();
  const one = lab.browser();
  const other = lab.browser();
  await one.open('/logon');
  await other.open('/logon');
  one.cookies.set('JSESSIONID', `${one.cookies.get('JSESSIONID')}; JSESSIONID=${other.cookies.get('JSESSIONID')}`);
  const page = await one.send('/logon');
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('Duplicate valid session cookies: node0')]);
  await lab.clock.advance(900_001);
  expect((await one.send('/logon')).status).toBe(200);
});

verifies(
  'sim.ups.open-choices',
  'seeds differ in cookie, redirects and markup, and each is a UPS all the same',
  async () => {
    const seen = new Set<string>();
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await using lab = await startUpsLab({ seed });
      const browser = lab.browser();
      const { text } = await browser.logOn(lab.ups.credentials);
      expect(shownAt(text, 'value_DeviceStatus')).toBe('On Line');
      expect(shownAt(text, 'value_VoltageDC')).toBe('13.7');
      const { redirectStatus, location, urlRewriting, busyOn } = lab.ups.settings;
      seen.add(JSON.stringify({ redirectStatus, location, urlRewriting, busyOn, cookie: [...browser.cookies.keys()] }));
    }
    expect(seen.size).toBeGreaterThan(5);
  },
);

verifies('sim.ups.script', 'an outage drains the battery and ends; setting a value ends the script', async () => {
  await using lab = await startUpsLab({ settings: { model: 'smart' } });
  const browser = lab.browser();
  await browser.logOn(lab.ups.credentials);
  const read = async (id: string) => shownAt((await browser.open('/status')).text, `value_${id}`);
  lab.ups.play('outage');
  expect([await read('DeviceStatus'), await read('InputVoltage'), await read('BatteryCharge')]).toEqual([
    'On Battery',
    '0.0',
    '90.3',
  ]);
  await lab.clock.advance(300_000);
  expect(await read('BatteryCharge')).toBe('66.5');
  await lab.clock.advance(300_000);
  expect([await read('DeviceStatus'), await read('InputVoltage')]).toEqual(['On Line', '210.4']);
  lab.ups.set({ VoltageDC: null, BatteryCharge: 'N/A' });
  expect([await read('VoltageDC'), await read('BatteryCharge'), lab.ups.state().stepsLeft]).toEqual([null, 'N/A', 0]);
  lab.ups.play([{ afterMs: 1000, values: { RuntimeRemaining: 3 } }]);
  expect(await read('RuntimeRemaining')).not.toBe('3');
  await lab.clock.advance(1000);
  expect(await read('RuntimeRemaining')).toBe('3');
});

verifies('sim.ups.journal', 'every request is there in order, and no password, token or session id', async () => {
  await using lab = await startUpsLab();
  const browser = lab.browser();
  await browser.logOn(lab.ups.credentials);
  const sessionId = browser.cookies.get('JSESSIONID') ?? '';
  await browser.send('/logoff');
  const requests = lab.ups.journal().filter(({ kind }) => kind === 'request');
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /status',
    'GET /logon',
    'POST /j_security_check',
    'GET /status',
    'GET /logoff',
  ]);
  expect(requests[2]).toMatchObject({
    form: {
      j_username: 'operator',
      j_password: '***',
      login: 'Log On',
      formtoken: '***',
      formtokenid: '/logon_formtoken',
    },
    cookies: ['JSESSIONID'],
    connection: 'keep-alive',
  });
  const text = JSON.stringify(lab.ups.journal());
  expect(text).not.toContain(lab.ups.credentials.password);
  expect(text).not.toContain(sessionId);
});

verifies('sim.ups.control', 'over HTTP: state, settings, values, script, pages, faults, reset', async () => {
  await using lab = await startUpsLab();
  await using served = await serveControl({
    control: lab.ups,
    clock: lab.clock,
    extra: upsControlRoutes(lab.ups),
  });
  const call = served.ask;
  const browser = lab.browser();
  expect(await call('PATCH', '/state', { locale: 'es', values: { RealPowerPct: 55.5 } })).toMatchObject({
    status: 200,
    body: { locale: 'es', values: { RealPowerPct: 55.5, VoltageDC: 13.7 } },
  });
  expect(shownAt((await browser.logOn(lab.ups.credentials)).text, 'value_RealPowerPct')).toBe('55,5');
  for (const wrong of [{ locale: 'xx' }, { values: { Nothing: 1 } }, { lockAfter: -1 }, { unknown: 1 }]) {
    expect(await call('PATCH', '/state', wrong)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  }
  expect(lab.ups.settings).toMatchObject({ locale: 'es', lockAfter: 3 });
  expect(await call('POST', '/script', { scenario: 'outage' })).toMatchObject({ status: 201, body: { stepsLeft: 16 } });
  expect(await call('POST', '/script', {})).toMatchObject({ status: 400 });
  expect(await call('POST', '/logons')).toMatchObject({ status: 201 });
  expect(isBusy((await browser.open('/status')).text)).toBe(true);
  const fixed = '<html><input name=formtoken type=hidden value=masked><p id="mine">here</p></html>';
  expect(await call('PUT', '/pages', { path: '/logon', body: fixed })).toMatchObject({ status: 200 });
  const page = (await browser.open('/logon')).text;
  expect(shownAt(page, 'mine')).toBe('here');
  expect(inputValue(page, 'formtoken')).toMatch(/^[0-9a-f]{16}$/);
  expect(await call('POST', '/faults', { fault: 'no-such' })).toMatchObject({ status: 400 });
  expect(await call('POST', '/faults', { fault: 'error-500', skip: 1, times: 1 })).toMatchObject({ status: 201 });
  const statuses = [await browser.send('/logon'), await browser.send('/logon'), await browser.send('/logon')];
  expect(statuses.map(({ status }) => status)).toEqual([200, 500, 200]);
  expect(await call('POST', '/reset')).toMatchObject({ status: 200 });
  expect(lab.ups.state()).toMatchObject({ locale: 'en', loggedOn: 0, faults: [], stepsLeft: 0 });
  expect(shownAt((await browser.open('/logon')).text, 'mine')).toBeNull();
});

test('battery and diagnostics have pages of their own, for who is logged on', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'de' } });
  const browser = lab.browser();
  expect((await browser.send('/diagnostics')).location).toMatch(/\/logon/);
  await browser.logOn(lab.ups.credentials);
  expect(shownAt((await browser.open('/batterymanagement')).text, 'value_VoltageDC')).toBe('13,7');
  expect(shownAt((await browser.open('/batterymanagement')).text, 'value_BatteryStatus')).toBe('Good');
  expect(shownAt((await browser.open('/diagnostics')).text, 'LastReplaceBatteryTestStatus')).toBe('Passed');
});
