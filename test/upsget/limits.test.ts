// How long upsget takes at the most: 30 seconds a request, and less than the product's session altogether.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { startUpsLab } from '../support/ups-lab.ts';
import { listRequests, newHome, runUpsget } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

/** Ends waits of minutes after seconds, and writes down how long they would have been. */
const hurried = (file: string) =>
  `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs';
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (ms) => {
    if (ms < 120_000) return timeout.call(AbortSignal, ms);
    appendFileSync(${JSON.stringify(file)}, ms + '\\n');
    return timeout.call(AbortSignal, 3000);
  };`)}`;

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

verifies('ups.limit.request-30s ups.error.network', 'a page that trickles is given up after 30 seconds', async () => {
  await using lab = await startUpsLab();
  lab.ups.fail('trickle', { value: 5 });
  const result = await runUpsget([], { ups: lab.ups });
  expect(result).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('no whole answer within 30 s'),
  });
});

verifies('ups.limit.session-900s', 'a reading longer than a session ends in time to clean up', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  lab.ups.fail('hang', { command: '/status', skip: 2 });
  const waits = path.join(newHome(), 'waits');
  const result = await runUpsget([], { ups: lab.ups, node: ['--import', hurried(waits)] });
  expect(result).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Error: not finished within 15 minutes, after which the UPS ends the session/),
  });
  // The rest of the 900 seconds is for the cleanup.
  expect(readFileSync(waits, 'utf8')).toBe('885000\n');
  expect(listRequests(lab.ups).slice(-2)).toEqual(['POST /setLocale', 'GET /logoff']);
  expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
});
