// One reading, through the program and over TLS: every page of the fixtures, every way to print, the sequence of requests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/program.ts';
import { shownAt, startUpsLab } from '../support/ups-lab.ts';
import { listRequests, newHome, plainValues, runUpsget, startUpsget, waitForRequests } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

const folder = path.join(root, 'fixtures/ups/1.4.0');
const expected = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Record<
  string,
  {
    kind: string;
    lang: string | null;
    values?: Record<string, string>;
    alreadyLoggedOn?: boolean;
    formtoken?: string;
    login?: string;
  }
>;

verifies('ups.web.extract ups.run.by-element-id ups.target.1-4-0', 'every status page gives its values', async () => {
  await using lab = await startUpsLab();
  const { ups } = lab;
  const pages = Object.entries(expected).filter(([, { kind }]) => kind === 'status');
  expect(pages.length).toBeGreaterThan(20);
  for (const [name, { lang, values = {} }] of pages) {
    ups.reset();
    const isEnglish = lang === null || lang.startsWith('en');
    ups.setPage('/status', { body: readFileSync(path.join(folder, name), 'utf8') });
    const { code, stdout, stderr } = await runUpsget(['--json'], { ups });
    if (isEnglish) {
      expect.soft({ name, code, values: JSON.parse(stdout || '{}') }).toEqual({ name, code: 0, values });
      const missing = Object.keys(plainValues).filter((item) => !(item in values));
      expect.soft(stderr.match(/^Warning: \w+/gm) ?? []).toEqual(missing.map((item) => `Warning: ${item}`));
    } else {
      // This page stays as it is, which the product does not do: it is refused, because its words cannot be trusted.
      expect.soft({ name, code, stdout }).toEqual({ name, code: 1, stdout: '' });
      expect.soft(stderr).toMatch(new RegExp(`^Error: the UPS did not switch from "${lang}" to English`));
    }
    expect.soft(ups.state()).toMatchObject({ loggedOn: 0 });
  }
});

verifies('ups.web.form-tokens', 'every login page of the fixtures can be logged on with', async () => {
  await using lab = await startUpsLab({ settings: { checksLoginText: false } });
  const { ups } = lab;
  const pages = Object.entries(expected).filter(([, { kind }]) => kind === 'logon');
  expect(pages.length).toBeGreaterThan(12);
  for (const [name, { login, formtoken }] of pages) {
    ups.reset();
    ups.patch({ checksToken: formtoken !== '' });
    ups.setPage('/logon', { body: readFileSync(path.join(folder, name), 'utf8') });
    const { code, stdout } = await runUpsget(['--json'], { ups });
    expect.soft({ name, code, values: JSON.parse(stdout || '{}') }).toEqual({ name, code: 0, values: plainValues });
    const sent = ups.journal().find((entry) => entry.path === '/j_security_check')?.form;
    expect
      .soft(sent)
      .toMatchObject({ login, j_username: 'operator', formtokenid: formtoken === '' ? '' : '/logon_formtoken' });
  }
});

test.each(readdirSync(folder).filter((name) => expected[name]?.kind === 'unknown'))(
  '%s is no status page',
  async (name) => {
    await using lab = await startUpsLab();
    const { ups } = lab;
    ups.setPage('/status', { body: readFileSync(path.join(folder, name), 'utf8') });
    const { code, stdout, stderr } = await runUpsget(['--json'], { ups });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: .*(invalid session|no element value_DeviceStatus).*\n$/);
    expect(ups.state()).toMatchObject({ loggedOn: 0 });
  },
);

describe('the sequence', () => {
  const english = ['GET /status', 'GET /logon', 'POST /j_security_check', 'GET /status', 'GET /logoff'];

  verifies(
    'ups.web.status-first ups.web.login-success ups.web.logoff',
    'in English: /status, the login it leads to, /status, /logoff, each on a connection of its own',
    async () => {
      await using lab = await startUpsLab();
      const { code } = await runUpsget(['--json'], { ups: lab.ups });
      expect({ code, requests: listRequests(lab.ups) }).toEqual({ code: 0, requests: english });
      for (const { kind, connection, userAgent } of lab.ups.journal()) {
        expect(kind === 'request' ? { connection, userAgent } : null).toEqual(
          kind === 'request' ? { connection: 'close', userAgent: 'upsget' } : null,
        );
      }
    },
  );

  verifies(
    'ups.run.reads-english ups.web.locale-english ups.web.locale-read',
    'in another language: finds out which, and switches to English before it reads',
    async () => {
      await using lab = await startUpsLab();
      for (const locale of ['ja', 'de']) {
        lab.ups.reset();
        lab.ups.patch({ locale });
        const { code, stdout } = await runUpsget(['--json'], { ups: lab.ups });
        expect({ code, values: JSON.parse(stdout) }).toEqual({ code: 0, values: plainValues });
        const [change] = lab.ups.journal().filter(({ kind }) => kind === 'locale');
        expect(change).toMatchObject({ from: locale, to: 'en' });
        expect(listRequests(lab.ups).slice(0, 6)).toEqual([...english.slice(0, 4), 'POST /setLocale', 'GET /status']);
      }
    },
  );

  verifies('ups.run.restores-language ups.web.restore', 'sets the language back, then logs off', async () => {
    await using lab = await startUpsLab();
    for (const locale of ['es', 'fr']) {
      lab.ups.reset();
      lab.ups.patch({ locale });
      expect(await runUpsget([], { ups: lab.ups })).toMatchObject({ code: 0, stdout: '19.0\n' });
      const changes = lab.ups.journal().filter(({ kind }) => kind === 'locale');
      expect(changes.slice(1)).toMatchObject([{ from: 'en', to: locale }]);
      expect(listRequests(lab.ups).slice(5)).toEqual(['GET /status', 'POST /setLocale', 'GET /logoff']);
      expect(lab.ups.state()).toMatchObject({ locale, loggedOn: 0 });
    }
  });

  verifies('ups.web.login-post', 'where the answer to the login points to is not asked by itself', async () => {
    await using lab = await startUpsLab();
    await using other = await startUpsLab();
    const value = new URL('/status', other.ups.url).href;
    lab.ups.fail('redirect-elsewhere', { command: '/j_security_check', value });
    await runUpsget([], { ups: lab.ups });
    expect(listRequests(lab.ups)).toContain('POST /j_security_check');
    expect(listRequests(other.ups)).toEqual([]);
  });

  verifies('ups.limit.one-session', 'while it reads, others see that somebody is logged on', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('hang', { command: '/status', skip: 1, times: 1 });
    await using reading = startUpsget([], { ups: lab.ups });
    await waitForRequests(lab.ups, 4);
    const person = lab.browser();
    expect(shownAt((await person.open('/status')).text, 'alreadyLoggedOn')).not.toBeNull();
    expect(shownAt((await person.logOn(lab.ups.credentials)).text, 'value_DeviceStatus')).toBeNull();
    reading.kill('SIGTERM');
    await reading.ended;
    expect(shownAt((await person.logOn(lab.ups.credentials)).text, 'value_DeviceStatus')).toBe('On Line');
  });

  test('values are printed before the language is set back', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.ups.fail('hang', { command: '/logoff' });
    lab.ups.fail('hang', { command: '/setLocale', skip: 1 });
    const { code, stdout } = await runUpsget(['--timeout', '1'], { ups: lab.ups });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '19.0\n' });
  });

  verifies('ups.web.logs-off-existing', 'somebody logged on is logged off first, once', async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'get' } });
    for (const locale of ['en', 'ja']) {
      lab.ups.reset();
      lab.ups.patch({ locale });
      lab.ups.logOnElsewhere();
      const { code, stdout } = await runUpsget([], { ups: lab.ups });
      expect({ code, stdout }).toEqual({ code: 0, stdout: '19.0\n' });
      expect(listRequests(lab.ups).slice(0, 5)).toEqual([
        'GET /status',
        'GET /logon',
        'GET /logoff',
        'GET /status',
        'GET /logon',
      ]);
    }
    expect(lab.ups.state()).toMatchObject({ owner: null, locale: 'ja' });
  });

  verifies('ups.web.by-id-only', 'the words of the element without its id are not taken for it', async () => {
    await using lab = await startUpsLab();
    const page = readFileSync(path.join(folder, 'logon-already.en.html'), 'utf8');
    lab.ups.setPage('/logon', { body: page.replace('id="alreadyLoggedOn"', '') });
    expect(await runUpsget([], { ups: lab.ups })).toMatchObject({ code: 0 });
    expect(listRequests(lab.ups).filter((line) => line === 'GET /logoff')).toHaveLength(1);
  });

  test('the element hidden in every login page does not keep from logging on', async () => {
    await using lab = await startUpsLab({ settings: { busyElement: 'hidden' } });
    expect(await runUpsget([], { ups: lab.ups })).toMatchObject({ code: 0, stdout: '19.0\n' });
  });

  verifies('ups.web.shown-no-login', 'a status page that is shown at once needs no login', async () => {
    await using lab = await startUpsLab();
    lab.ups.setPage('/logon', { body: readFileSync(path.join(folder, 'status.en.html'), 'utf8') });
    expect(await runUpsget([], { ups: lab.ups })).toMatchObject({ code: 0, stdout: '19.0\n' });
    expect(listRequests(lab.ups)).toEqual(['GET /status', 'GET /logon', 'GET /logoff']);
  });

  test('somebody who logs on between page and login is logged off, and the login sent once more', async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'post', locale: 'ja' } });
    lab.ups.logOnElsewhere();
    expect(await runUpsget([], { ups: lab.ups })).toMatchObject({ code: 0, stdout: '19.0\n' });
    expect(listRequests(lab.ups).filter((line) => line === 'POST /j_security_check')).toHaveLength(2);
    expect(lab.ups.state()).toMatchObject({ owner: null, locale: 'ja' });
  });

  test('whatever the product leaves open: cookie name, redirects, URL rewriting, markup', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      await using lab = await startUpsLab({ seed, settings: { locale: seed % 2 ? 'ja' : 'es' } });
      const { code, stdout } = await runUpsget(['--json'], { ups: lab.ups });
      expect.soft({ seed, code, values: JSON.parse(stdout || '{}') }).toEqual({ seed, code: 0, values: plainValues });
      expect.soft(lab.ups.state()).toMatchObject({ loggedOn: 0, locale: seed % 2 ? 'ja' : 'es' });
    }
  });
});

describe('what is printed', () => {
  verifies('ups.mode.normal ups.option.items', 'the chosen values in the specified order', async () => {
    await using lab = await startUpsLab();
    const all = ['--batteryvoltage', '--battery', '--voltage', '--runtime', '--load', '--status'];
    expect((await runUpsget(all, { ups: lab.ups })).stdout).toBe('On Line 19.0 29 102.0 100.0 13.7\n');
    expect((await runUpsget(['--runtime', '--load'], { ups: lab.ups })).stdout).toBe('19.0 29\n');
  });

  verifies('ups.option.items-default ups.option.json', '--load when nothing is chosen', async () => {
    await using lab = await startUpsLab();
    expect(await runUpsget([], { ups: lab.ups })).toMatchObject({ code: 0, stdout: '19.0\n', stderr: '' });
  });

  verifies('ups.mode.json ups.json.feeds-sensor', '--json is one line of texts, whatever else is chosen', async () => {
    await using lab = await startUpsLab();
    const { stdout, stderr } = await runUpsget(['--json', '--status'], { ups: lab.ups });
    expect(stdout).toBe(`${JSON.stringify(plainValues)}\n`);
    expect(stderr).toBe('');
  });

  verifies('ups.json.feeds-sensor', 'the documented command-line sensor finds its state and attributes', async () => {
    await using lab = await startUpsLab();
    const guide = readFileSync(path.join(root, 'docs/upsget.md'), 'utf8');
    const [, options = ''] = /^ +command: \S+ --config \S+ (.+)$/m.exec(guide) ?? [];
    const [, state = ''] = /value_template: "\{\{ value_json\.(\w+) \}\}"/.exec(guide) ?? [];
    const [, attributes = ''] = /json_attributes: \[(.+)\]/.exec(guide) ?? [];
    const { code, stdout } = await runUpsget(options.split(' '), { ups: lab.ups });
    const document = JSON.parse(stdout) as Record<string, unknown>;
    expect({ code, state: document[state] }).toEqual({ code: 0, state: 'On Line' });
    const found = attributes.split(', ').map((name) => document[name]);
    expect(found).toEqual([19, 29, 102, 100, 13.7]);
  });

  test('--json-typed has numbers and units', async () => {
    await using lab = await startUpsLab();
    const { stdout } = await runUpsget(['--json-typed'], { ups: lab.ups });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'On Line',
      load: 19,
      batteryvoltage: 13.7,
      units: { runtime: 'min' },
    });
  });

  test('--all has what a larger model shows, and what we have no name for', async () => {
    await using lab = await startUpsLab();
    lab.ups.setPage('/status', {
      body: readFileSync(path.join(folder, 'status-outlet.en.html'), 'utf8').replace(
        'value_InputFrequency',
        'value_New',
      ),
    });
    const { stdout } = await runUpsget(['--all', '--json-typed'], { ups: lab.ups });
    expect(JSON.parse(stdout)).toMatchObject({
      temperature: 28.3,
      current: 6.2,
      outlet0: 'On',
      outlet1: 'Off',
      value_New: '49.7',
    });
  });

  test('--prometheus and --nut', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    const prometheus = await runUpsget(['--prometheus'], { ups: lab.ups });
    expect(prometheus.stdout).toContain('ups_status{ups="127.0.0.1",status="online"} 1\n');
    const nut = await runUpsget(['--nut'], { ups: lab.ups });
    expect(nut.stdout).toContain('battery.runtime: 1740\n');
    expect(nut.stdout).toContain('ups.status: OL\n');
  });

  test('--output replaces a file in one step and prints nothing', async () => {
    await using lab = await startUpsLab();
    const home = newHome();
    const file = path.join(home, 'ups.prom');
    expect(await runUpsget(['--prometheus', '--output', file], { ups: lab.ups })).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(readFileSync(file, 'utf8')).toContain('ups_load_ratio');
    expect(readdirSync(home)).toEqual(['ups.prom']);
    const nowhere = await runUpsget(['--output', path.join(home, 'no/such')], { ups: lab.ups });
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: .*no\/such cannot be written: .*\n$/),
    });
    expect(lab.ups.state()).toMatchObject({ loggedOn: 0 });
  });
});

describe('values that are not there', () => {
  verifies('ups.error.value-normal ups.target.changed-ids ups.cleanup.always', 'fails and names the item', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.ups.fail('ids-renamed', { value: 'val-' });
    const { code, stdout, stderr } = await runUpsget(['--status', '--load', '--battery'], { ups: lab.ups });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^Error: value retrieval failed: .*load \(element value_RealPowerPct\), battery \(element value_BatteryCharge\).*val-RealPowerPct/,
    );
    expect(listRequests(lab.ups).slice(-2)).toEqual(['POST /setLocale', 'GET /logoff']);
    expect(lab.ups.state()).toMatchObject({ loggedOn: 0, locale: 'ja' });
  });

  verifies('ups.error.value-all-items', 'all-items mode warns and leaves them out', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('element-missing', { value: 'value_RealPowerPct,value_VoltageDC' });
    const { code, stdout, stderr } = await runUpsget(['--json'], { ups: lab.ups });
    const { load: _load, batteryvoltage: _voltage, ...rest } = plainValues;
    expect({ code, values: JSON.parse(stdout) }).toEqual({ code: 0, values: rest });
    expect(stderr).toBe(
      'Warning: load is skipped: the status page has no value in element value_RealPowerPct\n' +
        'Warning: batteryvoltage is skipped: the status page has no value in element value_VoltageDC\n',
    );
  });

  test('--all says in the JSON which of the six items are missing', async () => {
    await using lab = await startUpsLab();
    const whole = await runUpsget(['--all', '--json'], { ups: lab.ups });
    expect(JSON.parse(whole.stdout)).not.toHaveProperty('missing');
    for (const form of ['--json', '--json-typed']) {
      lab.ups.fail('element-missing', { value: 'value_RealPowerPct,value_VoltageDC' });
      const { code, stdout } = await runUpsget(['--all', form], { ups: lab.ups });
      expect({ code, values: JSON.parse(stdout) }).toMatchObject({
        code: 0,
        values: { missing: ['load', 'batteryvoltage'] },
      });
      lab.ups.clearFaults();
    }
  });

  verifies('ups.error.no-items', 'all-items mode fails when none is left', async () => {
    await using lab = await startUpsLab();
    const ids = ['DeviceStatus', 'RealPowerPct', 'RuntimeRemaining', 'InputVoltage', 'BatteryCharge', 'VoltageDC'];
    lab.ups.fail('element-empty', { value: ids.map((id) => `value_${id}`).join(',') });
    const { code, stdout, stderr } = await runUpsget(['--json'], { ups: lab.ups });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: no items retrieved/m);
  });

  verifies('ups.target.changed-ids ups.target.1-4-0', 'names old and new ids, and the version', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('all-ids-renamed', { value: 'metric_' });
    const { code, stdout, stderr } = await runUpsget(['--json'], { ups: lab.ups });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/no element value_DeviceStatus; it has metric_DeviceStatus, metric_RealPowerPct/);
    expect(stderr).toContain('another version of the product: upsget reads 1.4.0');
  });
});

describe('a snapshot', () => {
  test('has the pages and exchanges, and no secret', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    const { ups } = lab;
    const body = readFileSync(path.join(folder, 'status.ja.html'), 'utf8').replace(
      '</h1>',
      ' operator Ups-password-1 SN4711</h1>',
    );
    lab.ups.setPage('/status', { body: body.replace('lang="ja"', 'lang="en"') });
    const target = path.join(newHome(), 'snapshot');
    expect(await runUpsget(['--snapshot', target, '--mask', 'SN4711'], { ups })).toMatchObject({ code: 0 });
    const files = readdirSync(target).sort();
    expect(files).toEqual(['exchanges.json', 'logon.ja.html', 'meta.json', 'status.en.html']);
    const text = files.map((name) => readFileSync(path.join(target, name), 'utf8')).join('');
    const tokens = lab.ups.journal().flatMap(({ session }) => (typeof session === 'string' ? session : []));
    for (const secret of [ups.credentials.password, 'SN4711', ...tokens]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('value="TOKEN"');
    expect(text).toContain('text/html;charset=utf-8');
    expect(text).not.toMatch(/=node0[a-z]|\boperator\b/);
    expect(JSON.parse(readFileSync(path.join(target, 'meta.json'), 'utf8'))).toMatchObject({
      languages: ['ja', 'en'],
      missing: [],
    });
  });

  test('is taken of a failed reading too', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('all-ids-renamed');
    const target = path.join(newHome(), 'snapshot');
    expect(await runUpsget(['--snapshot', target], { ups: lab.ups })).toMatchObject({ code: 1 });
    expect(existsSync(path.join(target, 'status.en.html'))).toBe(true);
  });
});

describe('a page is read', () => {
  test.each(['GZIP', 'x-gzip', 'deflate', 'raw-deflate', 'identity', 'deflate, gzip', 'gzip, identity'])(
    'when it comes packed as %s',
    async (value) => {
      await using lab = await startUpsLab();
      lab.ups.fail('gzip', { value });
      const { code, stdout, stderr } = await runUpsget(['--json'], { ups: lab.ups });
      expect({ code, stderr, values: JSON.parse(stdout || '{}') }).toEqual({
        code: 0,
        stderr: '',
        values: plainValues,
      });
    },
  );

  test('not when it comes packed in more ways than one page needs', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('gzip', { value: Array.from({ length: 8 }, () => 'gzip').join(', ') });
    const { code, stderr } = await runUpsget([], { ups: lab.ups });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: the page is packed as "gzip, gzip, .*which upsget does not read/);
  });

  const page = (head: string) =>
    `<!DOCTYPE html><html lang="en"><head>${head}</head><body><b id="value_DeviceStatus">オンライン</b></body></html>`;
  test.each([
    ['<meta charset>', 'text/html', '<meta charset="Shift_JIS">'],
    ['<meta http-equiv>', 'text/html', '<meta content="text/html; charset=Shift_JIS" http-equiv="content-type">'],
    ['<meta> behind a comment', 'text/html', '<!-- <meta charset="euc-jp"> --><meta charset=Shift_JIS>'],
    ['the header, whatever <meta> says', 'text/html;charset=Shift_JIS', '<meta charset="utf-8">'],
    ['<meta> when nobody knows what the header says', 'text/html;charset=x-nobody', '<meta charset="Shift_JIS">'],
  ])('in the characters that it says in %s', async (_where, contentType, head) => {
    await using lab = await startUpsLab();
    lab.ups.setPage('/status', { body: page(head), contentType, characters: 'Shift_JIS' });
    expect(await runUpsget(['--status'], { ups: lab.ups })).toMatchObject({ code: 0, stdout: 'オンライン\n' });
  });

  test('as UTF-8 where it begins with the mark of it, or says UTF-16 in characters that cannot be', async () => {
    await using lab = await startUpsLab();
    for (const body of [`\ufeff${page('<meta charset="Shift_JIS">')}`, page('<meta charset="utf-16">')]) {
      lab.ups.setPage('/status', { body, contentType: 'text/html' });
      expect(await runUpsget(['--status'], { ups: lab.ups })).toMatchObject({ code: 0, stdout: 'オンライン\n' });
    }
  });

  test('in English, when its language is in xml:lang alone', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.ups.fail('lang-xml');
    const { code, stdout } = await runUpsget(['--json'], { ups: lab.ups });
    expect({ code, values: JSON.parse(stdout || '{}') }).toEqual({ code: 0, values: plainValues });
    expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
  });
});
