// Signals, several upsget at once, and --watch: the UPS is left as it was found.
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startUpsLab } from '../support/ups-lab.ts';
import { hasLockOpen, listRequests, newHome, runUpsget, startUpsget, waitForRequests } from '../support/upsget.ts';

test.each([
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('%s ends with %d, and a second one does not cut the cleanup short', async (signal, code) => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  lab.ups.fail('hang', { command: '/status', skip: 2, times: 1 });
  lab.ups.fail('slow', { command: '/setLocale', skip: 1, value: 500 });
  await using program = startUpsget([], { ups: lab.ups, ownGroup: true });
  await waitForRequests(lab.ups, 6);
  program.killGroup(signal);
  await waitForRequests(lab.ups, 7);
  program.killGroup(signal);
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code, signal: null });
  expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
});

test('what kill -9 left in English is set back by the next run', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  lab.ups.fail('hang', { command: '/status', skip: 2, times: 1 });
  const home = newHome();
  await using program = startUpsget([], { ups: lab.ups, home });
  await waitForRequests(lab.ups, 6);
  program.kill('SIGKILL');
  await program.ended;
  expect(lab.ups.state()).toMatchObject({ locale: 'en', loggedOn: 1 });
  expect(await runUpsget([], { ups: lab.ups, home })).toMatchObject({ code: 0, stdout: '19.0\n' });
  expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
  lab.ups.patch({ locale: 'en' });
  await runUpsget([], { ups: lab.ups, home });
  expect(lab.ups.state()).toMatchObject({ locale: 'en' });
});

describe('several at once', () => {
  test('against one UPS: each gets its values, and the UPS is left as it was', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    const runs = await Promise.all(Array.from({ length: 6 }, () => runUpsget(['--json'], { ups: lab.ups })));
    for (const { code, stdout, stderr } of runs) {
      expect
        .soft({ code, stderr, load: JSON.parse(stdout || '{}').load })
        .toEqual({ code: 0, stderr: '', load: '19.0' });
    }
    const logins = listRequests(lab.ups).filter((line) => line === 'POST /j_security_check');
    expect(logins).toHaveLength(6);
    expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
  });

  test('a signal ends one that waits for its turn', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('hang', { command: '/status', times: 1 });
    await using _first = startUpsget([], { ups: lab.ups });
    await waitForRequests(lab.ups, 1);
    await using second = startUpsget([], { ups: lab.ups });
    await expect.poll(() => hasLockOpen(second)).toBe(true);
    second.kill('SIGTERM');
    expect(await second.ended).toEqual({ code: 143, signal: null });
    expect(listRequests(lab.ups)).toHaveLength(1);
  });
});

describe('--watch', () => {
  test('reads again and again, logs off in between, and ends well at a signal', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    await using program = startUpsget(['--watch', '1', '--status'], { ups: lab.ups });
    await program.printed(/^On Line\n/);
    lab.ups.set({ DeviceStatus: 'battery' });
    await program.printed(/^(?:On Line\n)+On Battery\n/);
    await eventually(
      async () => lab.ups.state(),
      ({ loggedOn, locale }) => (loggedOn === 0 && locale === 'ja' ? true : undefined),
    );
    program.kill('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
  });

  test('goes on after a failure, and ends when the password is refused, which it tries once', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('error-500', { times: 1, command: '/status' });
    await using program = startUpsget(['--watch', '1'], { ups: lab.ups });
    await program.printed(/^19\.0\n/);
    expect(program.stderr()).toMatch(/^Error: the UPS answered \/status with 500/);
    lab.ups.patch({ password: 'Another-password-1' });
    expect(await program.ended).toEqual({ code: 1, signal: null });
    expect(lab.ups.state()).toMatchObject({ failures: 1, loggedOn: 0 });
  });
});
