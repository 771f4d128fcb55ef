// Exports of as many rows as may come and one more, which takes seconds: their bound, two at once, slow clients.
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { eventually } from '../support/eventually.ts';
import { fill } from '../support/filled-log.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

describe('of more rows than may come', () => {
  const shared: { lab?: Lab<never>; timers: number } = { timers: 0 };
  beforeAll(async () => {
    shared.lab = await startLab();
    await fill(shared.lab, 50_001);
    shared.timers = await steady(() => shared.lab?.clock.sleeping ?? 0);
  });
  afterAll(() => shared.lab?.[Symbol.asyncDispose]());

  /** What a start has under way ends meanwhile: the value when it has not changed for two seconds. */
  async function steady(value: () => number): Promise<number> {
    const seen = { value: value(), since: systemClock.now() };
    return eventually(
      async () => value(),
      (now) => {
        if (now !== seen.value) {
          Object.assign(seen, { value: now, since: systemClock.now() });
        }
        return systemClock.now() - seen.since >= 2000 ? now : undefined;
      },
    );
  }

  /** Asks until one of the two places of exports is free: the thread of the export before may end after its answer. */
  async function ask(query: string, method: 'GET' | 'HEAD' = 'GET') {
    const send = () => (shared.lab as Lab<never>).as.raw({ method, path: `/api/connections/export?from=0&${query}` });
    return eventually(send, (answer) => (answer.status === 429 ? undefined : answer));
  }

  verifies('rest.connections.export-stops-50000', '50,000 come, each once', async () => {
    const csv = await ask('format=csv');
    expect(csv.headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', 'cache-control': 'no-store' });
    expect(csv.headers['content-disposition']).toMatch(
      /^attachment; filename="monitor-connections-\d{8}T\d{6}Z\.csv"$/,
    );
    const lines = csv.text.split('\r\n');
    expect(lines).toHaveLength(50_002);
    expect(new Set(lines).size).toBe(50_002);
  });

  verifies(
    'rest.connections.export-header-total rest.connections.export-header-count rest.connections.export-header-truncated',
    'the headers tell how many rows match, how many come, and whether some are missing',
    async () => {
      const told = async (query: string, method?: 'HEAD') => {
        const { status, headers } = await ask(query, method);
        return [status, ...['total', 'count', 'truncated'].map((name) => headers[`x-export-${name}`])];
      };
      expect(await told('format=csv', 'HEAD')).toEqual([200, '50001', '50000', 'true']);
      expect(await told('format=json&fSrc=10.0.0&fSrcMode=startsWith')).toEqual([200, '256', '256', 'false']);
      expect(await told('format=csv&fSrc=no-such')).toEqual([200, '0', '0', 'false']);
      expect((await ask('format=csv', 'HEAD')).text).toBe('');
    },
  );

  test('two at once; a third is told to wait; a client that goes away makes room', async () => {
    const lab = shared.lab as Lab<never>;
    const slow = () => unread(lab, '/api/connections/export?from=0&format=json');
    const { timers } = shared;
    // The exports before have ended, and so have their timers.
    await expect.poll(() => lab.clock.sleeping).toBe(timers);
    const [first, second] = await Promise.all([slow(), slow()]);
    onTestFinished(() => void [first, second].map((answer) => answer.destroy()));
    expect(lab.clock.sleeping).toBe(timers + 2);
    const third = await lab.as.raw({ method: 'GET', path: '/api/connections/export?from=0&format=csv' });
    expect([third.status, third.headers['retry-after']]).toEqual([429, '1']);
    expect(third.body).toMatchObject({ code: 'rate_limited' });
    expect(lab.clock.sleeping).toBe(timers + 2);
    first.destroy();
    second.destroy();
    const retry = async () =>
      (await lab.as.raw({ method: 'GET', path: '/api/connections/export?from=0&format=csv' })).status;
    // Threads of exports are less urgent than all else: on a busy machine they end late.
    await expect.poll(retry).toBe(200);
    await expect.poll(() => lab.clock.sleeping).toBe(timers);
  });

  verifies('rest.connections.export-timeout-60s', 'is cut after 60 seconds, with rows missing', async () => {
    const lab = shared.lab as Lab<never>;
    const response = await unread(lab, '/api/connections/export?from=0&format=json');
    await lab.clock.advance(59_000);
    expect(response.destroyed).toBe(false);
    await lab.clock.advance(1000);
    const cut = once(response, 'error').catch((error: unknown) => error);
    response.resume();
    expect(String(await cut)).toMatch(/aborted|reset/i);
  });

  test('other requests are answered while the largest list and an export run', async () => {
    const lab = shared.lab as Lab<never>;
    const state = { isDone: false, answered: 0 };
    const whole = lab.as.raw({ method: 'GET', path: '/api/connections' }).finally(() => {
      state.isDone = true;
    });
    while (!state.isDone) {
      expect((await lab.as.raw({ method: 'GET', path: '/healthz' })).status).toBe(200);
      state.answered += 1;
    }
    expect((await whole).status).toBe(200);
    expect(state.answered).toBeGreaterThan(3);
  });
});

/** A response whose body nobody reads; asks again while the threads of the exports before end. */
const unread = (lab: Lab<never>, target: string): Promise<http.IncomingMessage> =>
  eventually(
    () => opened(lab, target),
    (answer) => (answer.statusCode === 429 ? void answer.destroy() : answer),
  );

function opened(lab: Lab<never>, target: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.get(new URL(target, lab.url), { headers: { 'x-admin-token': lab.adminToken } }, (response) => {
      response.pause();
      response.on('error', () => undefined);
      resolve(response);
    });
    request.on('error', reject);
  });
}
