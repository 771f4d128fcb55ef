// How long upsget takes at the most: 30 seconds a request, and less than the product's session altogether.
import { expect } from 'vitest';
import { Failure } from '#upsget/failure.ts';
import { parseOptions } from '#upsget/options.ts';
import { readOnce } from '#upsget/reading.ts';
import { resolveSettings } from '#upsget/settings.ts';
import { startUpsLab } from '../support/ups-lab.ts';
import { newHome, requestsOf, runUpsget } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

verifies('ups.error.network', 'nobody there is told with what to check', async () => {
  expect(await runUpsget(['127.0.0.1:1', 'u', 'p'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Error: .*connection refused; is the address right.*\n$/),
  });
  expect(await runUpsget(['nowhere.invalid', 'u', 'p'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Error: .*host name.*\n$/),
  });
});

verifies(
  'ups.limit.request-30s ups.error.network',
  'a page that comes byte by byte is given up after 30 seconds',
  async () => {
    await using lab = await startUpsLab();
    lab.control.fail('trickle', { value: 5 });
    const result = await runUpsget([], { ups: lab.ups });
    expect(result).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('no whole answer within 30 s'),
    });
  },
  120_000,
);

verifies(
  'ups.limit.session-900s',
  'a reading that takes longer than a session ends early enough to clean up',
  async () => {
    await using lab = await startUpsLab({ settings: { locale: 'ja' } });
    lab.control.fail('slow', { value: 20_000, command: '/status', skip: 1 });
    const { user, password } = lab.ups.credentials;
    const options = parseOptions([lab.ups.url.host, user, password]);
    if (typeof options === 'string') {
      throw new Error('these are no arguments for a reading');
    }
    const env = { XDG_STATE_HOME: newHome() };
    const said: string[] = [];
    const tell = {
      print: async (text: string) => void said.push(text),
      warn: (text: string) => said.push(text),
      error: (text: string) => said.push(text),
    };
    const settings = resolveSettings(options, env, tell.warn);
    const never = new AbortController().signal;
    const reading = readOnce(settings, env, tell, never, { sessionMs: 3_000, cleanupMs: 2_000 });
    await expect(reading).rejects.toThrow(Failure);
    await expect(reading).rejects.toThrow(/after which the UPS ends the session/);
    expect(said).toEqual([]);
    expect(requestsOf(lab.ups).at(-1)).toBe('GET /logoff');
    expect(lab.control.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
  },
);
