// Whatever the UPS does: an exit code and one sentence, its language as it was, nobody left logged on, no loop of logins.
import { describe, expect, test } from 'vitest';
import type { FaultOptions } from '#simulators/simulator.ts';
import type { UpsFault } from '#simulators/ups/faults.ts';
import { startUpsLab, type UpsLab } from '../support/ups-lab.ts';
import { newHome, requestsOf, runUpsget, type UpsgetResult } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

interface Case extends FaultOptions {
  fault: UpsFault;
  code: 0 | 1;
  /** Of the one line on stderr. */
  says?: RegExp;
}

const cut = /the connection was cut/;
const late = /no whole answer within 2 s/;
const lost = /invalid session/;

const cases: readonly Case[] = [
  { fault: 'closed-early', code: 1, says: /cut|disconnected/ },
  { fault: 'silent', code: 1, says: late },
  { fault: 'plain-http', code: 1, says: /does not speak HTTPS/ },
  { fault: 'tls-1.1-only', code: 1, says: /old TLS only; try --tls-legacy/ },
  { fault: 'tls-dhe-1024', code: 1, says: /too short for today; try --tls-legacy/ },
  { fault: 'weak-certificate', code: 0 },
  { fault: 'expired-certificate', code: 0 },
  { fault: 'other-certificate', code: 0 },
  { fault: 'slow', value: 300, code: 0 },
  ...['/status', '/logon', '/j_security_check', '/setLocale'].flatMap((command): Case[] => [
    { fault: 'hang', times: 1, command, code: 1, says: late },
    { fault: 'reset', times: 1, command, code: 1, says: cut },
    { fault: 'error-500', times: 1, command, code: 1, says: /with 500/ },
    {
      fault: 'redirect-elsewhere',
      times: 1,
      command,
      code: 1,
      says: /redirects to another server, https:\/\/elsewhere\.invalid/,
    },
    { fault: 'session-stolen', times: 1, command, code: 0 },
    // Nothing tells a form that is too old from a wrong password, which is tried once.
    ...(command === '/j_security_check'
      ? [{ fault: 'session-expired', times: 1, command, code: 1, says: /login failed/ } as const]
      : [{ fault: 'session-expired', times: 1, command, code: 0 } as const]),
  ]),
  { fault: 'hang', value: 'after', times: 1, command: '/j_security_check', code: 1, says: late },
  { fault: 'hang', value: 'after', times: 1, command: '/setLocale', code: 1, says: late },
  { fault: 'hang', times: 1, skip: 1, command: '/setLocale', code: 0 },
  { fault: 'hang', times: 1, command: '/logoff', code: 0 },
  { fault: 'reset', times: 1, skip: 1, command: '/setLocale', code: 0 },
  { fault: 'reset', times: 1, command: '/logoff', code: 0 },
  { fault: 'error-500', times: 1, skip: 1, command: '/setLocale', code: 0 },
  { fault: 'error-500', times: 1, command: '/logoff', code: 0 },
  { fault: 'session-stolen', times: 1, skip: 1, command: '/setLocale', code: 0 },
  { fault: 'session-expired', times: 1, skip: 1, command: '/setLocale', code: 0 },
  { fault: 'trickle', value: 400, times: 1, command: '/status', skip: 1, code: 1, says: late },
  { fault: 'truncated', times: 1, command: '/status', skip: 1, code: 1, says: cut },
  {
    fault: 'wrong-length',
    times: 1,
    command: '/status',
    skip: 1,
    code: 1,
    says: lost,
  },
  { fault: 'gzip', code: 0 },
  { fault: 'huge-page', command: '/status', code: 1, says: /larger than 2 MiB/ },
  { fault: 'empty-page', times: 1, command: '/status', skip: 1, code: 1, says: lost },
  { fault: 'empty-page', times: 1, command: '/logon', code: 1, says: lost },
  { fault: 'duplicate-session', times: 1, command: '/status', skip: 1, code: 0 },
  { fault: 'duplicate-session', command: '/status', code: 1, says: lost },
  { fault: 'redirect-loop', command: '/status', code: 1, says: /redirects in a circle/ },
  { fault: 'already-logged-on', times: 1, command: '/status', code: 0 },
  { fault: 'already-logged-on', times: 1, command: '/logon', code: 0 },
  { fault: 'session-expired', command: '/status', code: 1, says: lost },
  { fault: 'session-stolen', command: '/status', code: 1, says: /login failed: somebody else stays logged on/ },
  { fault: 'login-refused', code: 1, says: /login failed/ },
  { fault: 'locale-ignored', times: 1, code: 1, says: /did not switch from "ja" to English/ },
  { fault: 'locale-logs-off', times: 1, code: 0 },
  { fault: 'locale-logs-off', times: 1, skip: 1, code: 0 },
  { fault: 'form-token-missing', code: 0 },
  ...(
    [
      'attributes-reordered',
      'single-quotes',
      'no-quotes',
      'upper-case',
      'span',
      'nested',
      'references',
      'decoys',
      'lang-last',
      'lang-region',
    ] as const
  ).map((fault): Case => ({ fault, code: 0 })),
  { fault: 'ids-renamed', code: 1, says: /no load \(element value_RealPowerPct\); it has .*val-RealPowerPct/ },
  { fault: 'all-ids-renamed', code: 1, says: /no element value_DeviceStatus; it has metric_/ },
  { fault: 'element-missing', code: 1, says: /no load \(element value_RealPowerPct\)/ },
  { fault: 'element-empty', code: 1, says: /no load \(element value_RealPowerPct\)/ },
];

/** What must hold after every run, whatever its outcome. */
function expectCleanedUp(lab: UpsLab, locale: string, { stdout, stderr }: UpsgetResult): void {
  expect(lab.control.state()).toMatchObject({ locale, loggedOn: 0, owner: null });
  expect(stdout + stderr).not.toContain(lab.ups.credentials.password);
  const logins = requestsOf(lab.ups).filter((line) => line === 'POST /j_security_check');
  // The specification's one, its one retry, and one more only to put the language back.
  expect(logins.length).toBeLessThanOrEqual(3);
}

describe('a UPS in Japanese', () => {
  test.concurrent.each(cases)('$fault $command skip $skip $value: exit code $code', async (one) => {
    const { fault, code, says, ...options } = one;
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.control.fail(fault, options);
    // On a busy computer a certificate of another kind alone takes the simulator seconds.
    const result = await runUpsget(says === late ? ['--timeout', '2'] : [], { ups: lab.ups });
    expect(result.stderr).toMatch(says ? new RegExp(`^Error: [^\n]*(?:${says.source})[^\n]*\n$`) : /^$/);
    expect(result).toMatchObject({ code, stdout: code === 0 ? '19.0\n' : '' });
    expectCleanedUp(lab, 'ja', result);
  });

  test('a lang that is missing is not switched', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.control.fail('lang-missing');
    const result = await runUpsget(['--status'], { ups: lab.ups });
    expect(result).toMatchObject({ code: 0, stdout: 'オンライン\n' });
    expect(requestsOf(lab.ups)).not.toContain('POST /setLocale');
    expectCleanedUp(lab, 'ja', result);
  });
});

describe('login', () => {
  verifies(
    'ups.error.login ups.web.login-failure ups.cleanup.always',
    'a wrong password is tried once, and the UPS left as it was',
    async () => {
      await using lab = await startUpsLab({ settings: { locale: 'ja', lockAfter: 2 } });
      const result = await runUpsget([lab.ups.url.host, 'operator', 'Wrong-password-1']);
      expect(result).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^Error: login failed: .*did not accept user name and password.*\n$/),
      });
      expect(requestsOf(lab.ups).filter((line) => line.startsWith('POST'))).toEqual(['POST /j_security_check']);
      expect(requestsOf(lab.ups).at(-1)).toBe('GET /logoff');
      expect(lab.control.state()).toMatchObject({ failures: 1, locale: 'ja', loggedOn: 0 });
      expect(result.stderr).not.toContain('Wrong-password-1');
    },
  );

  test('a wrong password while somebody is logged on is no conflict: it is not tried again', async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'both' } });
    lab.control.logOnElsewhere();
    expect(await runUpsget([lab.ups.url.host, 'operator', 'Wrong-password-1'])).toMatchObject({ code: 1 });
    expect(lab.control.state()).toMatchObject({ failures: 1 });
  });

  test('a locked account is said to be one', async () => {
    await using lab = await startUpsLab({ settings: { lockAfter: 1 } });
    await runUpsget([lab.ups.url.host, 'operator', 'Wrong-password-1']);
    const result = await runUpsget([], { ups: lab.ups });
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: login failed: .*access denied.*locked/),
    });
    expect(requestsOf(lab.ups).filter((line) => line === 'GET /accessdenied')).toEqual([]);
  });

  verifies('ups.error.session', 'a session that is taken away again and again is an invalid session', async () => {
    await using lab = await startUpsLab();
    lab.control.fail('session-expired', { command: '/status' });
    const result = await runUpsget([], { ups: lab.ups });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Error: invalid session/) });
    expectCleanedUp(lab, 'en', result);
  });
});

describe('--polite', () => {
  test.each(['get', 'post', 'both'] as const)('leaves a logged-on person alone (%s)', async (busyOn) => {
    await using lab = await startUpsLab({ settings: { locale: 'ja', busyOn } });
    lab.control.logOnElsewhere();
    const before = lab.control.state().owner;
    const result = await runUpsget(['--polite'], { ups: lab.ups });
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Error: somebody is logged on .*--polite/),
    });
    expect(requestsOf(lab.ups)).not.toContain('GET /logoff');
    expect(lab.control.state()).toMatchObject({ owner: before, locale: 'ja' });
  });

  test('logs off itself, and only itself', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    expect(await runUpsget(['--polite'], { ups: lab.ups })).toMatchObject({ code: 0 });
    expect(lab.control.state()).toMatchObject({ owner: null, locale: 'ja' });
    lab.control.clearJournal();
    await runUpsget(['--polite', lab.ups.url.host, 'operator', 'Wrong-password-1']);
    expect(requestsOf(lab.ups)).not.toContain('GET /logoff');
  });
});

describe('TLS', () => {
  verifies('ups.tls.not-verified', 'a self-signed, expired or changed certificate is accepted', async () => {
    await using lab = await startUpsLab();
    for (const fault of ['expired-certificate', 'other-certificate', 'weak-certificate'] as const) {
      lab.control.reset();
      lab.control.fail(fault);
      expect.soft(await runUpsget([], { ups: lab.ups })).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('--tls-legacy reads what offers old TLS only', async () => {
    await using lab = await startUpsLab();
    for (const fault of ['tls-1.1-only', 'tls-dhe-1024'] as const) {
      lab.control.reset();
      lab.control.fail(fault);
      expect.soft(await runUpsget(['--tls-legacy'], { ups: lab.ups })).toMatchObject({ code: 0, stdout: '19.0\n' });
    }
  });

  test('--tls-fingerprint refuses another certificate before anything is sent', async () => {
    await using lab = await startUpsLab();
    const pin = lab.ups.fingerprint256;
    expect(
      await runUpsget(['--tls-fingerprint', pin.replaceAll(':', '').toLowerCase()], { ups: lab.ups }),
    ).toMatchObject({ code: 0 });
    lab.control.clearJournal();
    lab.control.fail('other-certificate');
    const result = await runUpsget(['--tls-fingerprint', pin], { ups: lab.ups });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(`expected is ${pin}`) });
    expect(requestsOf(lab.ups)).toEqual([]);
  });

  test('--tls-trust-first remembers the first certificate and refuses another one', async () => {
    await using lab = await startUpsLab();
    const home = newHome();
    for (const _time of [1, 2]) {
      expect(await runUpsget(['--tls-trust-first'], { ups: lab.ups, home })).toMatchObject({ code: 0, stderr: '' });
    }
    lab.control.clearJournal();
    lab.control.fail('other-certificate');
    const result = await runUpsget(['--tls-trust-first'], { ups: lab.ups, home });
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Error: .*another certificate than expected, and nothing was sent.*state\/upsget\/certificates\n$/,
      ),
    });
    expect(requestsOf(lab.ups)).toEqual([]);
  });
});

verifies('ups.cleanup.exceptions', 'a cleanup that cannot be done is a warning and changes no exit code', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  lab.control.fail('error-500', { command: '/setLocale', skip: 1 });
  lab.control.fail('reset', { command: '/logoff', times: 2 });
  const { code, stdout, stderr } = await runUpsget([], { ups: lab.ups });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '19.0\n' });
  expect(stderr).toMatch(
    /^Warning: the display language could not be set back to ja.*\nWarning: .*could not log off.*\n$/,
  );
});
