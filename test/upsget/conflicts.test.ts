// Logins that fail, people who are logged on, certificates, cleanups that cannot be done.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { limits } from '#upsget/limits.ts';
import { createSession } from '#upsget/session.ts';
import { createWebClient } from '#upsget/web-client.ts';
import { startUpsLab, type UpsLab } from '../support/ups-lab.ts';
import { listRequests, newHome, runUpsget } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

describe('login', () => {
  verifies('ups.error.login ups.web.login-failure ups.cleanup.always', 'a wrong password is tried once', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja', lockAfter: 2 } });
    const result = await runUpsget([lab.ups.url.host, 'operator', 'Wrong-password-1']);
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Error: login failed: .*did not accept user name and password.*\n$/),
    });
    expect(listRequests(lab.ups).filter((line) => line.startsWith('POST'))).toEqual(['POST /j_security_check']);
    expect(listRequests(lab.ups).at(-1)).toBe('GET /logoff');
    expect(lab.ups.state()).toMatchObject({ failures: 1, locale: 'ja', loggedOn: 0 });
    expect(result.stderr).not.toContain('Wrong-password-1');
  });

  test('a wrong password while somebody is logged on is no conflict: it is not tried again', async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'both' } });
    lab.ups.logOnElsewhere();
    expect(await runUpsget([lab.ups.url.host, 'operator', 'Wrong-password-1'])).toMatchObject({ code: 1 });
    expect(lab.ups.state()).toMatchObject({ failures: 1 });
  });

  verifies('ups.web.login-post', 'a locked account is said to be one, and its page is not followed to', async () => {
    await using lab = await startUpsLab({ settings: { lockAfter: 1 } });
    await runUpsget([lab.ups.url.host, 'operator', 'Wrong-password-1']);
    const result = await runUpsget([], { ups: lab.ups });
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: login failed: .*access denied.*locked/),
    });
    expect(listRequests(lab.ups).filter((line) => line === 'GET /accessdenied')).toEqual([]);
  });

  verifies('ups.error.session', 'a session that is taken away again and again is an invalid session', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('session-expired', { command: '/status' });
    const result = await runUpsget([], { ups: lab.ups });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Error: invalid session/) });
    expect(lab.ups.state()).toMatchObject({ loggedOn: 0, locale: 'en' });
    expect(listRequests(lab.ups).filter((line) => line === 'POST /j_security_check').length).toBeLessThanOrEqual(2);
  });
});

describe('--polite', () => {
  test.each(['get', 'post', 'both'] as const)('leaves a logged-on person alone (%s)', async (busyOn) => {
    await using lab = await startUpsLab({ settings: { locale: 'ja', busyOn } });
    lab.ups.logOnElsewhere();
    const before = lab.ups.state().owner;
    const result = await runUpsget(['--polite'], { ups: lab.ups });
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Error: somebody is logged on .*--polite/),
    });
    expect(listRequests(lab.ups)).not.toContain('GET /logoff');
    expect(lab.ups.state()).toMatchObject({ owner: before, locale: 'ja' });
  });

  test('logs off itself, and only itself', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    expect(await runUpsget(['--polite'], { ups: lab.ups })).toMatchObject({ code: 0 });
    expect(lab.ups.state()).toMatchObject({ owner: null, locale: 'ja' });
    lab.ups.clearJournal();
    await runUpsget(['--polite', lab.ups.url.host, 'operator', 'Wrong-password-1']);
    expect(listRequests(lab.ups)).not.toContain('GET /logoff');
  });
});

describe('TLS', () => {
  verifies('ups.tls.not-verified', 'a self-signed, expired or changed certificate is accepted', async () => {
    await using lab = await startUpsLab();
    for (const fault of ['expired-certificate', 'other-certificate', 'weak-certificate'] as const) {
      lab.ups.reset();
      lab.ups.fail(fault);
      expect.soft(await runUpsget([], { ups: lab.ups })).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('--tls-legacy reads what offers old TLS only', async () => {
    await using lab = await startUpsLab();
    for (const fault of ['tls-1.1-only', 'tls-dhe-1024'] as const) {
      lab.ups.reset();
      lab.ups.fail(fault);
      expect.soft(await runUpsget(['--tls-legacy'], { ups: lab.ups })).toMatchObject({ code: 0, stdout: '19.0\n' });
    }
  });

  test('--tls-fingerprint refuses another certificate before anything is sent', async () => {
    await using lab = await startUpsLab();
    const pin = lab.ups.fingerprint256;
    expect(
      await runUpsget(['--tls-fingerprint', pin.replaceAll(':', '').toLowerCase()], { ups: lab.ups }),
    ).toMatchObject({ code: 0 });
    lab.ups.clearJournal();
    lab.ups.fail('other-certificate');
    const result = await runUpsget(['--tls-fingerprint', pin], { ups: lab.ups });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(`expected is ${pin}`) });
    expect(listRequests(lab.ups)).toEqual([]);
  });

  test('--tls-trust-first remembers the first certificate and refuses another one', async () => {
    await using lab = await startUpsLab();
    const home = newHome();
    for (const _time of [1, 2]) {
      expect(await runUpsget(['--tls-trust-first'], { ups: lab.ups, home })).toMatchObject({ code: 0, stderr: '' });
    }
    lab.ups.clearJournal();
    lab.ups.fail('other-certificate');
    const result = await runUpsget(['--tls-trust-first'], { ups: lab.ups, home });
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Error: .*another certificate than expected, and nothing was sent.*remove .*state\/upsget\/certificate-127[^/]*\n$/,
      ),
    });
    expect(listRequests(lab.ups)).toEqual([]);
  });

  test('a certificate in the list of earlier versions stays pinned', async () => {
    await using lab = await startUpsLab();
    const home = newHome();
    const list = path.join(home, '.local/state/upsget/certificates');
    mkdirSync(path.dirname(list), { recursive: true });
    writeFileSync(list, `192.0.2.1:6547 ${'AA:'.repeat(31)}AA\n${lab.ups.url.host} ${lab.ups.fingerprint256}\n`);
    expect(await runUpsget(['--tls-trust-first'], { ups: lab.ups, home })).toMatchObject({ code: 0, stderr: '' });
    lab.ups.fail('other-certificate');
    expect(await runUpsget(['--tls-trust-first'], { ups: lab.ups, home })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/remove its line from .*state\/upsget\/certificates\n$/),
    });
  });

  test('two upsget that pin two UPS at the same time keep both', async () => {
    await using one = await startUpsLab();
    await using other = await startUpsLab();
    const home = newHome();
    // Both have read what is remembered before one of them has written.
    const slowDisk = `data:text/javascript,import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
      const { renameSync } = fs;
      fs.renameSync = (...names) => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
        renameSync(...names);
      };
      syncBuiltinESMExports();`;
    const pin = ({ ups }: typeof one) => {
      // One connection only: a second one would remember its certificate again.
      ups.fail('reset', { times: 1 });
      return runUpsget(['--tls-trust-first'], { ups, home, node: ['--import', slowDisk] });
    };
    for (const result of await Promise.all([pin(one), pin(other)])) {
      expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('the connection was cut') });
    }
    for (const lab of [one, other]) {
      lab.ups.fail('other-certificate');
      expect
        .soft(await runUpsget(['--tls-trust-first'], { ups: lab.ups, home }))
        .toMatchObject({ code: 1, stderr: expect.stringContaining('another certificate than expected') });
    }
  });
});

verifies('ups.cleanup.exceptions', 'a cleanup that cannot be done is a warning and changes no exit code', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  lab.ups.fail('error-500', { command: '/setLocale', skip: 1 });
  lab.ups.fail('reset', { command: '/logoff', times: 2 });
  const { code, stdout, stderr } = await runUpsget([], { ups: lab.ups });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '19.0\n' });
  expect(stderr).toMatch(
    /^Warning: the display language could not be set back to ja.*\nWarning: .*could not log off.*\n$/,
  );
});

/** The conversation without the program around it. */
function sessionWith({ ups }: UpsLab, { polite = false } = {}) {
  const locales: (string | null)[] = [];
  const { hostname: host, port } = ups.url;
  const tls = { legacy: false, judge: null };
  const session = createSession({
    client: createWebClient({ host, port: Number(port), requestMs: limits.requestMs, tls }),
    username: ups.credentials.user,
    password: ups.credentials.password,
    polite,
    unrestored: null,
    onLocale: (locale) => void locales.push(locale),
  });
  const { signal } = new AbortController();
  return { open: () => session.open(signal), close: () => session.close({ signal, hurry: signal }), locales };
}

/** Whether each request for the status came with a cookie. */
const cookiesAtStatus = ({ ups }: UpsLab) =>
  ups
    .journal()
    .flatMap(({ kind, path: at, cookies }) =>
      kind === 'request' && at === '/status' ? [Array.isArray(cookies) && cookies.length > 0] : [],
    );

const loginsOf = ({ ups }: UpsLab) => listRequests(ups).filter((line) => line === 'POST /j_security_check');

describe('one retry for all conflicts together', () => {
  test('somebody faster at the login, then a session that is lost', async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'post' } });
    lab.ups.logOnElsewhere();
    // The first status of a session is the one behind the second login.
    lab.ups.fail('session-expired', { command: '/status', times: 1 });
    const session = sessionWith(lab);
    await expect(session.open()).rejects.toThrow(/^invalid session: the UPS shows its login page/);
    expect(loginsOf(lab)).toHaveLength(2);
    expect(await session.close()).toEqual([]);
    expect(lab.ups.state()).toMatchObject({ loggedOn: 0 });
  });

  test('a session that is lost, then somebody faster at the login', async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'post' } });
    lab.ups.fail('session-expired', { command: '/status', times: 1 });
    lab.ups.fail('session-stolen', { command: '/j_security_check', skip: 1, times: 1 });
    const session = sessionWith(lab);
    await expect(session.open()).rejects.toThrow(/^invalid session: somebody else keeps logging on to the UPS/);
    expect(loginsOf(lab)).toHaveLength(2);
    // Nothing of the lost session goes along with the second attempt, which ends before its status.
    expect(cookiesAtStatus(lab)).toEqual([false, true, false]);
    expect(await session.close()).toEqual([]);
    expect(lab.ups.state()).toMatchObject({ loggedOn: 0 });
  });
});

describe('a session that is lost before the language is set back', () => {
  test.each(['session-expired', 'session-stolen'] as const)('is brought back by one more login (%s)', async (fault) => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.ups.fail(fault, { command: '/setLocale', skip: 1, times: 1 });
    const session = sessionWith(lab);
    await session.open();
    expect(lab.ups.state()).toMatchObject({ locale: 'en', loggedOn: 1 });
    expect(await session.close()).toEqual([]);
    expect(session.locales).toEqual(['ja', null]);
    expect(cookiesAtStatus(lab)[3]).toBe(false);
    expect(loginsOf(lab)).toHaveLength(2);
    expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
  });

  test('stays lost with --polite when somebody else has logged on, who is left alone', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.ups.fail('session-stolen', { command: '/setLocale', skip: 1, times: 1 });
    const session = sessionWith(lab, { polite: true });
    await session.open();
    lab.ups.clearJournal();
    expect(await session.close()).toEqual(['the display language could not be set back to ja; set it in the web UI']);
    expect(listRequests(lab.ups).filter((line) => !line.startsWith('GET /logon'))).toEqual([
      'POST /setLocale',
      'GET /status',
      'POST /setLocale',
    ]);
    expect(session.locales).toEqual(['ja']);
    expect(lab.ups.state()).toMatchObject({ loggedOn: 1 });
  });
});

test('--polite leaves alone who has logged on in the middle of the reading', async () => {
  await using lab = await startUpsLab();
  lab.ups.fail('session-stolen', { command: '/status', skip: 1, times: 1 });
  const session = sessionWith(lab, { polite: true });
  await expect(session.open()).rejects.toThrow(/^somebody is logged on to the UPS and --polite leaves them alone/);
  expect(loginsOf(lab)).toHaveLength(1);
  expect(await session.close()).toEqual([]);
  expect(listRequests(lab.ups)).not.toContain('GET /logoff');
  expect(lab.ups.state()).toMatchObject({ loggedOn: 1 });
});
