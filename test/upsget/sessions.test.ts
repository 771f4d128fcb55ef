// Sessions that are lost while upsget reads, and how often it logs on for them; read in this process.
import { describe, expect, test } from 'vitest';
import { parseOptions } from '#upsget/options.ts';
import { readOnce } from '#upsget/reading.ts';
import { resolveSettings } from '#upsget/settings.ts';
import { startUpsLab, type UpsLab } from '../support/ups-lab.ts';
import { newHome, requestsOf } from '../support/upsget.ts';

/** One reading; what was printed and warned of, or why it failed. */
async function read(lab: UpsLab): Promise<string[]> {
  const { user, password } = lab.ups.credentials;
  const options = parseOptions([lab.ups.url.host, user, password]);
  if (typeof options === 'string') {
    throw new Error('these are no arguments for a reading');
  }
  const said: string[] = [];
  const print = (text: string) => void said.push(text.trim());
  const terminal = { print: async (text: string) => print(text), warn: print, error: print };
  const env = { XDG_STATE_HOME: newHome(), XDG_RUNTIME_DIR: newHome() };
  const settings = resolveSettings(options, env, terminal.warn);
  await readOnce(settings, env, terminal, new AbortController().signal).catch((error: Error) => {
    said.push(`${error.constructor.name}: ${error.message}`);
  });
  return said;
}

const loginsOf = (lab: UpsLab) => requestsOf(lab.ups).filter((line) => line === 'POST /j_security_check').length;

describe('a session that is lost', () => {
  test('is logged on again for, once', async () => {
    await using lab = await startUpsLab();
    lab.control.fail('session-expired', { command: '/status', times: 1 });
    expect(await read(lab)).toEqual(['19.0']);
    expect(loginsOf(lab)).toBe(2);
  });

  test('is not when somebody was logged off for it before', async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'post' } });
    lab.control.logOnElsewhere();
    lab.control.fail('session-expired', { command: '/status', times: 1 });
    expect(await read(lab)).toEqual([
      expect.stringMatching(/^SessionLost: invalid session: the UPS shows its login page/),
    ]);
    expect(loginsOf(lab)).toBe(2);
    expect(requestsOf(lab.ups).at(-1)).toBe('GET /logoff');
  });

  test('is not fought for with somebody who logs on then', async () => {
    await using lab = await startUpsLab({ settings: { busyOn: 'post' } });
    lab.control.fail('session-expired', { command: '/status', times: 1 });
    lab.control.fail('session-stolen', { command: '/j_security_check', skip: 1 });
    expect(await read(lab)).toEqual([expect.stringMatching(/^SessionLost: .*somebody else keeps logging on/)]);
    expect(loginsOf(lab)).toBe(2);
  });

  test('while the language is put back is logged on again for, and the language is as before', async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.control.fail('session-expired', { command: '/setLocale', skip: 1, times: 1 });
    expect(await read(lab)).toEqual(['19.0']);
    expect(loginsOf(lab)).toBe(2);
    expect(lab.control.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
  });
});
