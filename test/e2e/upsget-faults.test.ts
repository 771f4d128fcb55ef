// Whatever the UPS does to upsget: an exit code and one sentence, its language as it was, nobody logged on, no loop of logins.
import { describe, expect, test } from 'vitest';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import type { UpsFault } from '#simulators/ups/faults.ts';
import { startUpsLab, type UpsLab } from '../support/ups-lab.ts';
import { listRequests, runUpsget, type UpsgetResult } from '../support/upsget.ts';

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
  { fault: 'wrong-length', times: 1, command: '/status', skip: 1, code: 1, says: lost },
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
  expect(lab.ups.state()).toMatchObject({ locale, loggedOn: 0, owner: null });
  expect(stdout + stderr).not.toContain(lab.ups.credentials.password);
  const logins = listRequests(lab.ups).filter((line) => line === 'POST /j_security_check');
  // The specification's one, its one retry, and one more only to put the language back.
  expect(logins.length).toBeLessThanOrEqual(3);
}

describe('a UPS in Japanese', () => {
  test.concurrent.each(cases)('$fault $command skip $skip $value: exit code $code', async (one) => {
    const { fault, code, says, ...options } = one;
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.ups.fail(fault, options);
    // On a busy computer a certificate of another kind alone takes the simulator seconds.
    const result = await runUpsget(says === late ? ['--timeout', '2'] : [], { ups: lab.ups });
    expect(result.stderr).toMatch(says ? new RegExp(`^Error: [^\n]*(?:${says.source})[^\n]*\n$`) : /^$/);
    expect(result).toMatchObject({ code, stdout: code === 0 ? '19.0\n' : '' });
    expectCleanedUp(lab, 'ja', result);
  });

  test('a lang that is missing is not switched', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.ups.fail('lang-missing');
    const result = await runUpsget(['--status'], { ups: lab.ups });
    expect(result).toMatchObject({ code: 0, stdout: 'オンライン\n' });
    expect(listRequests(lab.ups)).not.toContain('POST /setLocale');
    expectCleanedUp(lab, 'ja', result);
  });
});
