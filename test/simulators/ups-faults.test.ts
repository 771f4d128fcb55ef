// Each fault of the simulated UPS shows, and is over when its times are.
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type UpsFault, upsFaults } from '#simulators/ups/faults.ts';
import { expectAllShown } from '../support/shown-faults.ts';
import { inputValue } from '../support/ups-browser.ts';
import { shownAt, startUpsLab, type UpsLab } from '../support/ups-lab.ts';
import { verifies } from '../support/verifies.ts';

const shown = new Set<UpsFault>();

/** A test of one fault; the last test asks that each has one. */
function fault(name: UpsFault, what: string, body: (lab: UpsLab) => Promise<void>): void {
  shown.add(name);
  verifies('sim.ups.faults', `${name}: ${what}`, async () => {
    await using lab = await startUpsLab();
    await body(lab);
  });
}

/** TLS to the UPS as a program of today does it; resolves to the socket, or to the code or text of what refused. */
async function tls({ ups }: UpsLab, options: ConnectionOptions = {}): Promise<TLSSocket | string> {
  const { hostname: host, port } = ups.url;
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ...options });
  try {
    await once(socket, 'secureConnect');
    return socket;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

async function secured(lab: UpsLab, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = await tls(lab, options);
  if (typeof socket === 'string') {
    throw new Error(`TLS was refused: ${socket}`);
  }
  return socket;
}

/** The login page over a connection of its own: the bytes as they came, in pieces. */
async function logonPieces(lab: UpsLab): Promise<Buffer[]> {
  const socket = await secured(lab);
  socket.write('GET /logon HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return socket.toArray();
}

/** Code of what went wrong with a request; a number is that of a DOMException. */
async function failure(work: Promise<unknown>): Promise<string | number> {
  const error: unknown = await work.then(
    () => new Error('nothing went wrong'),
    (thrown: unknown) => thrown,
  );
  return (error as { code?: string | number }).code ?? String(error);
}

/** The status page of one who is logged on while the faults show. */
async function statusUnder(lab: UpsLab, ...names: (UpsFault | [UpsFault, string])[]): Promise<string> {
  const browser = lab.browser();
  await browser.logOn(lab.ups.credentials);
  for (const one of names) {
    const [name, value] = typeof one === 'string' ? [one] : one;
    lab.ups.fail(name, { times: 1, ...(value === undefined ? {} : { value }) });
  }
  const { text } = await browser.open('/status');
  expect(shownAt((await browser.open('/status')).text, 'value_RealPowerPct')).toBe('19.0');
  return text;
}

fault('silent', 'nothing comes, and a second try is served', async (lab) => {
  lab.ups.fail('silent', { times: 1 });
  const { hostname, port } = lab.ups.url;
  const socket = connectTcp({ host: hostname, port: Number(port) });
  socket.write('GET / HTTP/1.1\r\n\r\n');
  let received = 0;
  socket.on('data', (part) => {
    received += part.length;
  });
  expect((await lab.browser().open('/logon')).status).toBe(200);
  expect([received, socket.destroyed]).toEqual([0, false]);
  socket.destroy();
});

fault('closed-early', 'the connection is gone before TLS', async (lab) => {
  lab.ups.fail('closed-early', { times: 1 });
  expect(await tls(lab)).toBe('ECONNRESET');
  (await secured(lab)).destroy();
});

fault('plain-http', 'TLS meets plain text, and plain HTTP is served', async (lab) => {
  lab.ups.fail('plain-http', { times: 2 });
  expect(await tls(lab)).toMatch(/WRONG_VERSION_NUMBER|EPROTO/);
  expect((await fetch(new URL('/logon', lab.ups.url.href.replace('https', 'http')))).status).toBe(200);
});

fault('tls-1.1-only', 'a client of today refuses, an old one gets through', async (lab) => {
  lab.ups.fail('tls-1.1-only');
  expect(await tls(lab)).toMatch(/PROTOCOL_VERSION|EPROTO/);
  const socket = await secured(lab, { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' });
  expect(socket.getProtocol()).toBe('TLSv1.1');
  socket.destroy();
});

fault('tls-dhe-1024', 'the group is too small for a client of today', async (lab) => {
  lab.ups.fail('tls-dhe-1024');
  expect(await tls(lab)).toMatch(/DH_KEY_TOO_SMALL|EPROTO/);
  const socket = await secured(lab, { ciphers: 'DEFAULT:@SECLEVEL=0' });
  expect(socket.getEphemeralKeyInfo()).toEqual({ type: 'DH', size: 1024 });
  socket.destroy();
});

fault('weak-certificate', '1,024 bits, and served all the same', async (lab) => {
  lab.ups.fail('weak-certificate', { times: 1 });
  const socket = await secured(lab);
  expect(socket.getPeerCertificate()).toMatchObject({ bits: 1024 });
  socket.destroy();
});

fault('expired-certificate', 'its end has passed', async (lab) => {
  lab.ups.fail('expired-certificate', { times: 1 });
  const socket = await secured(lab);
  expect(Date.parse(socket.getPeerCertificate().valid_to)).toBeLessThan(Date.now());
  socket.destroy();
});

fault('other-certificate', 'another fingerprint, the same one while it lasts', async (lab) => {
  lab.ups.fail('other-certificate', { times: 2 });
  const prints: string[] = [];
  for (const _try of [1, 2, 3]) {
    const socket = await secured(lab);
    prints.push(socket.getPeerCertificate().fingerprint256);
    socket.destroy();
  }
  expect(prints[0]).toBe(prints[1]);
  expect(prints[0]).not.toBe(lab.ups.fingerprint256);
  expect(prints[2]).toBe(lab.ups.fingerprint256);
});

fault('slow', 'the answer comes after the wait, and only for that path', async (lab) => {
  lab.ups.fail('slow', { times: 1, command: '/logon', value: 20_000 });
  expect((await lab.browser().send('/status')).status).toBe(303);
  const waiting = lab.browser().send('/logon');
  await lab.browser().send('/css/ui.css');
  await expect
    .poll(() => lab.ups.journal().some(({ kind, fault: name }) => kind === 'fault' && name === 'slow'))
    .toBe(true);
  expect(lab.ups.journal().filter(({ kind, status }) => kind === 'answer' && status === 200)).toHaveLength(1);
  await lab.clock.advance(20_000);
  expect((await waiting).status).toBe(200);
});

fault('hang', 'no answer and nothing done; with "after" it is done', async (lab) => {
  const browser = lab.browser();
  await browser.logOn(lab.ups.credentials);
  const given = new AbortController();
  const setLocale = () => failure(browser.send('/setLocale', { newLocale: 'ja', targetURL: '/status' }, given.signal));
  lab.ups.fail('hang', { times: 1, command: '/setLocale' });
  const first = setLocale();
  await expect
    .poll(() => lab.ups.journal().some(({ kind, fault: name }) => kind === 'fault' && name === 'hang'))
    .toBe(true);
  expect(lab.ups.settings.locale).toBe('en');
  lab.ups.fail('hang', { times: 1, value: 'after' });
  const second = setLocale();
  await expect.poll(() => lab.ups.settings.locale).toBe('ja');
  expect((await browser.send('/status')).status).toBe(200);
  given.abort();
  for (const code of await Promise.all([first, second])) {
    expect(code).toBe(DOMException.ABORT_ERR);
  }
});

fault('trickle', 'the page comes whole, in many pieces', async (lab) => {
  lab.ups.fail('trickle', { times: 1, command: '/logon', value: 2000 });
  const pieces = await logonPieces(lab);
  expect(pieces.length).toBeGreaterThan(2);
  expect(inputValue(pieces.join(''), 'formtoken')).toMatch(/^[0-9a-f]{16}$/);
});

fault('truncated', 'less than was announced', async (lab) => {
  const browser = lab.browser();
  lab.ups.fail('truncated', { times: 1, command: '/logon', afterBytes: 300 });
  expect(await failure(browser.send('/logon'))).toBe('UND_ERR_SOCKET');
  expect((await browser.send('/logon')).status).toBe(200);
});

fault('reset', 'the connection is reset, and what was asked for is done', async (lab) => {
  const browser = lab.browser();
  await browser.logOn(lab.ups.credentials);
  lab.ups.fail('reset', { times: 1, command: '/setLocale' });
  expect(await failure(browser.send('/setLocale', { newLocale: 'ja', targetURL: '/status' }))).toMatch(
    /ECONNRESET|UND_ERR_SOCKET/,
  );
  expect(lab.ups.settings.locale).toBe('ja');
});

fault('wrong-length', 'half of the page is announced, all of it is sent', async (lab) => {
  lab.ups.fail('wrong-length', { times: 1, command: '/logon' });
  const text = Buffer.concat(await logonPieces(lab)).toString();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const announced = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  expect(Math.floor(Buffer.byteLength(body) / 2)).toBe(announced);
  expect(body).toContain('</html>');
});

fault('gzip', 'compressed, and said so', async (lab) => {
  lab.ups.fail('gzip', { times: 1, command: '/logon' });
  const all = Buffer.concat(await logonPieces(lab));
  const at = all.indexOf('\r\n\r\n');
  expect(all.subarray(0, at).toString()).toMatch(/content-encoding: gzip/i);
  expect(gunzipSync(all.subarray(at + 4)).toString()).toContain('</html>');
});

fault('huge-page', 'millions of bytes that say nothing', async (lab) => {
  lab.ups.fail('huge-page', { times: 1, command: '/logon' });
  const { text } = await lab.browser().send('/logon');
  expect(text.length).toBeGreaterThan(3_000_000);
  expect(inputValue(text, 'formtoken')).toMatch(/^[0-9a-f]{16}$/);
});

fault('empty-page', '200 and nothing', async (lab) => {
  lab.ups.fail('empty-page', { times: 1 });
  expect(await lab.browser().send('/logon')).toMatchObject({ status: 200, text: '' });
});

fault('error-500', 'from the n-th request on that was meant', async (lab) => {
  const browser = lab.browser();
  lab.ups.fail('error-500', { times: 1, skip: 2, command: '/logon' });
  const statuses: number[] = [];
  for (const path of ['/logon', '/status', '/logon', '/logon', '/logon']) {
    statuses.push((await browser.send(path)).status);
  }
  expect(statuses).toEqual([200, 303, 200, 500, 200]);
});

fault('duplicate-session', '400 though there is one cookie', async (lab) => {
  lab.ups.fail('duplicate-session', { times: 1 });
  const page = await lab.browser().send('/status');
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('Duplicate valid session cookies')]);
});

fault('redirect-loop', 'to itself', async (lab) => {
  lab.ups.fail('redirect-loop');
  expect(await lab.browser().send('/status')).toMatchObject({ status: 303, location: '/status' });
});

fault('redirect-elsewhere', 'to another host, or to a given address', async (lab) => {
  lab.ups.fail('redirect-elsewhere', { times: 1 });
  expect((await lab.browser().send('/status')).location).toBe('https://elsewhere.invalid/logon');
  lab.ups.fail('redirect-elsewhere', { times: 1, value: 'http://127.0.0.1:9/' });
  expect((await lab.browser().send('/status')).location).toBe('http://127.0.0.1:9/');
});

fault('already-logged-on', 'somebody else is there once, and gone after /logoff', async (lab) => {
  const browser = lab.browser();
  lab.ups.fail('already-logged-on', { times: 1 });
  expect(shownAt((await browser.open('/status')).text, 'alreadyLoggedOn')).not.toBeNull();
  await browser.send('/logoff');
  expect(shownAt((await browser.logOn(lab.ups.credentials)).text, 'value_DeviceStatus')).toBe('On Line');
});

for (const name of ['session-expired', 'locale-logs-off'] as const) {
  fault(name, 'the session is over, and the language as it was', async (lab) => {
    const browser = lab.browser();
    await browser.logOn(lab.ups.credentials);
    lab.ups.fail(name, { times: 1, command: '/setLocale' });
    const { location } = await browser.send('/setLocale', { newLocale: 'ja', targetURL: '/status' });
    expect(location).toMatch(/\/logon/);
    expect(lab.ups.state()).toMatchObject({ locale: 'en', loggedOn: 0 });
  });
}

fault('session-stolen', 'somebody else logs on in mid-run', async (lab) => {
  const browser = lab.browser();
  await browser.logOn(lab.ups.credentials);
  lab.ups.fail('session-stolen', { times: 1, command: '/status' });
  expect(shownAt((await browser.open('/status')).text, 'alreadyLoggedOn')).not.toBeNull();
  expect(lab.ups.state()).toMatchObject({ loggedOn: 1, owner: 2 });
});

fault('login-refused', 'though the password is right', async (lab) => {
  lab.ups.fail('login-refused', { times: 1 });
  const browser = lab.browser();
  expect(shownAt((await browser.logOn(lab.ups.credentials)).text, 'loginError')).toMatch(/incorrect/);
  expect(lab.ups.state()).toMatchObject({ failures: 0 });
  expect(shownAt((await browser.logOn(lab.ups.credentials)).text, 'value_DeviceStatus')).toBe('On Line');
});

fault('locale-ignored', 'the answer is as ever, the language too', async (lab) => {
  const browser = lab.browser();
  await browser.logOn(lab.ups.credentials);
  lab.ups.fail('locale-ignored', { times: 1 });
  const { location } = await browser.send('/setLocale', { newLocale: 'ja', targetURL: '/status' });
  expect([location, lab.ups.settings.locale]).toEqual([expect.stringMatching(/\/status$/), 'en']);
});

fault('form-token-missing', 'and none is needed', async (lab) => {
  lab.ups.fail('form-token-missing');
  const browser = lab.browser();
  expect(inputValue((await browser.open('/logon')).text, 'formtoken')).toBeNull();
  expect(shownAt((await browser.logOn(lab.ups.credentials)).text, 'value_DeviceStatus')).toBe('On Line');
});

fault('ids-renamed', 'five of six have other ids', async (lab) => {
  const text = await statusUnder(lab, 'ids-renamed');
  expect([shownAt(text, 'value_DeviceStatus'), shownAt(text, 'value_VoltageDC')]).toEqual(['On Line', null]);
  expect(shownAt(text, 'val-VoltageDC')).toBe('13.7');
});

fault('all-ids-renamed', 'all have other ids', async (lab) => {
  const text = await statusUnder(lab, ['all-ids-renamed', 'v2_']);
  expect([shownAt(text, 'value_DeviceStatus'), shownAt(text, 'v2_DeviceStatus')]).toEqual([null, 'On Line']);
});

fault('element-missing', 'the elements that are named', async (lab) => {
  const text = await statusUnder(lab, ['element-missing', 'value_RealPowerPct, value_VoltageDC']);
  expect(['value_RealPowerPct', 'value_VoltageDC', 'value_BatteryCharge'].map((id) => shownAt(text, id))).toEqual([
    null,
    null,
    '100.0',
  ]);
});

fault('element-empty', 'there, and without text', async (lab) => {
  expect(shownAt(await statusUnder(lab, 'element-empty'), 'value_RealPowerPct')).toBe('');
});

const markup: [UpsFault, RegExp][] = [
  ['attributes-reordered', /<div data-unit="x" id="value_VoltageDC" title="a > b" class="value">13\.7</],
  ['single-quotes', /<div class='value' id='value_VoltageDC'>13\.7</],
  ['no-quotes', /<div class=value id=value_VoltageDC>13\.7</],
  ['upper-case', /<DIV CLASS="value" ID="value_VoltageDC">13\.7<\/DIV>/],
  ['span', /<span id="value_VoltageDC" class="value">13\.7<\/span>/],
  ['nested', /id="value_VoltageDC"><b><span class="n">13\.7</],
  ['references', /id="value_VoltageDC">&#49;&#51;&#x2E;&#55;</],
  ['decoys', /<!-- <div class="value" id="value_DeviceStatus">Comment</],
  ['lang-missing', /<html>/],
  ['lang-last', /<html class="no-js" data-lang="xx" lang="en">/],
  ['lang-region', /<html lang="en-US">/],
  ['lang-xml', /<html xml:lang="en">/],
];
for (const [name, pattern] of markup) {
  fault(name, 'in the markup once, and the same to a browser', async (lab) => {
    const text = await statusUnder(lab, name);
    expect(text).toMatch(pattern);
    expect(shownAt(text, 'value_VoltageDC')).toBe('13.7');
  });
}

test('options that cannot be meant are refused, naming the fault', async () => {
  await using lab = await startUpsLab();
  const wrong: [UpsFault, Parameters<UpsLab['ups']['fail']>[1], RegExp][] = [
    ['silent', { command: '/status' }, /silent: shows before there is a path/],
    ['slow', { command: 'status' }, /slow: command is a path that starts with \//],
    ['slow', { value: 'long' }, /slow: value is a number of 1 or more/],
    ['hang', { value: 'later' }, /hang: value is "after"/],
    ['nested', { value: 3 }, /nested: /],
    ['nested', { value: 'deep' }, /nested: takes no value/],
  ];
  for (const [name, options, sentence] of wrong) {
    expect(() => lab.ups.fail(name, options)).toThrow(sentence);
  }
  expect(lab.ups.state()).toMatchObject({ faults: [] });
});

test('each fault has a sentence, and a test that shows it', () => {
  expectAllShown(shown, upsFaults);
});
