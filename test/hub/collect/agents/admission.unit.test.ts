// Who may deliver now, over what, and how often one address may apply and claim.
import { syncBuiltinESMExports } from 'node:module';
import perfHooks from 'node:perf_hooks';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAdmission, toLoopDelays } from '#hub/collect/agents/admission.ts';
import { createClaimGuard, createThrottle } from '#hub/collect/agents/throttle.ts';
import { createTransport } from '#hub/collect/agents/transport.ts';
import { AppError } from '#kernel/errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('the delay is what comes on top of the interval of the samples', () => {
  const samples = { 50: 50_100_000, 95: 62_340_000 } as Record<number, number>;
  const percentile = (percent: number) => samples[percent] ?? 0;
  expect(toLoopDelays({ count: 9, max: 150_000_000, percentile })).toEqual({ p50: 0.1, p95: 12.34, max: 100 });
  expect(toLoopDelays({ count: 9, max: 49_000_000, percentile: () => 49_000_000 })).toEqual({ p50: 0, p95: 0, max: 0 });
  expect(toLoopDelays({ count: 0, max: 0, percentile: () => Number.NaN })).toEqual({ p50: 0, p95: 0, max: 0 });
});

test('the event loop is sampled every 50 ms until the admission ends', () => {
  const calls: unknown[] = [];
  using _restored = restoring(perfHooks.monitorEventLoopDelay);
  const percentile = (of: number) => of * 1_000_000 + 50_000_000;
  const enabled = { enable: () => calls.push('enable'), disable: () => calls.push('disable') };
  replaceMonitor((options) => {
    calls.push(options);
    return { ...enabled, count: 2, max: 150_000_000, percentile } as never;
  });
  const admission = createAdmission({ clock: new ManualClock() });
  expect(admission.metrics()).toMatchObject({
    ...{ eventLoopDelayMs: { p50: 50, p95: 95, max: 100 }, lastDurationMs: null },
    limits: { requestsPerMinutePerAgent: 30, maxConcurrent: 4 },
  });
  expect(calls).toEqual([{ resolution: 50 }, 'enable']);
  admission[Symbol.dispose]();
  expect(calls.at(-1)).toBe('disable');
});

function replaceMonitor(monitor: typeof perfHooks.monitorEventLoopDelay): void {
  perfHooks.monitorEventLoopDelay = monitor;
  syncBuiltinESMExports();
}

function restoring(monitor: typeof perfHooks.monitorEventLoopDelay): Disposable {
  return { [Symbol.dispose]: () => replaceMonitor(monitor) };
}

/** What a call threw: code and seconds to wait; null: it passed. */
function refusalOf(call: () => void): [code: string, retryAfter: string | undefined] | null {
  try {
    call();
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    const retryAfter = error.headers['Retry-After'];
    expect(error.message).toContain(retryAfter === undefined ? '' : ` in ${retryAfter} s`);
    return [error.code, retryAfter];
  }
}

test('deliveries are let in by the minute and by the places, cut off when they are late, and counted', async () => {
  const clock = new ManualClock();
  using admission = createAdmission({ clock, requestsPerMinute: 3, concurrent: 2 });
  const open: (() => void)[] = [];
  const late: string[] = [];
  const ask = (agentId: string) =>
    refusalOf(() =>
      admission.guard({
        principal: { who: 'agent', agent: { agentId } },
        answered: (end: () => void) => void open.push(end),
        cutOff: () => void late.push(agentId),
      } as never),
    );
  expect([ask('a'), ask('a'), ask('b')]).toEqual([null, null, ['agent_ingest_busy', '1']]);
  open.shift()?.();
  expect([ask('a'), admission.metrics()]).toMatchObject([null, { inFlight: 2, maxInFlight: 2, lastDurationMs: null }]);
  open.splice(0).forEach((end) => void end());
  await clock.advance(20_500);
  expect([ask('a'), ask('c')]).toEqual([['agent_rate_limited', '40'], null]);
  await clock.advance(14_999);
  expect(late).toEqual([]);
  await clock.advance(1);
  expect(late).toEqual(['c']);
  open.splice(0).forEach((end) => void end());
  expect([ask('d'), open.splice(0).forEach((end) => void end())]).toEqual([null, undefined]);
  await clock.advance(15_000);
  expect(late).toEqual(['c']);
  const other = { principal: { who: 'admin' }, answered: () => undefined, cutOff: () => undefined };
  expect(refusalOf(() => admission.guard(other as never))).toBeNull();
  const batch = { receivedAt: 0, differs: false };
  admission.stored({ ...batch, accepted: 5, duplicate: 2, replayed: false }, 7);
  admission.stored({ ...batch, accepted: 3, duplicate: 1, replayed: true }, 9);
  admission.refused();
  admission.failed();
  admission.failed();
  expect(admission.metrics()).toMatchObject({
    ...{ requests: 8, accepted: 5, duplicate: 6, rejected: 1, failures: 2, rateLimited: 2 },
    ...{ inFlight: 1, maxInFlight: 2, lastDurationMs: 9 },
    limits: { requestsPerMinutePerAgent: 3, maxConcurrent: 2 },
  });
});

test('an address that failed five times waits, unless it succeeded in between; one that claims has sixty a minute', async () => {
  const clock = new ManualClock();
  const throttle = createThrottle(clock);
  const may = (address: string) => refusalOf(() => throttle.require(address));
  for (let failure = 1; failure <= 4; failure += 1) {
    throttle.failed('192.0.2.1');
  }
  throttle.succeeded('192.0.2.1');
  for (let failure = 1; failure <= 4; failure += 1) {
    throttle.failed('192.0.2.1');
  }
  expect(may('192.0.2.1')).toBeNull();
  throttle.failed('192.0.2.1');
  clock.jump(clock.now() + 60_500);
  expect([may('192.0.2.1'), may('192.0.2.2')]).toEqual([['enrollment_throttled', '240'], null]);
  const guard = createClaimGuard(clock);
  const claim = (address: string) => refusalOf(() => guard({ request: { address } } as never));
  const claims = Array.from({ length: 61 }, () => claim('192.0.2.1'));
  expect([claims.filter((one) => one === null).length, claims.at(-1), claim('192.0.2.2')]).toEqual([
    60,
    ['rate_limited', '60'],
    null,
  ]);
});

const setting = fc.record({
  host: fc.constantFrom('127.0.0.1', '0.0.0.0'),
  publicUrl: fc.constantFrom(undefined, 'http://hub.lan', 'https://hub.lan'),
  trustProxy: fc.constantFrom(undefined, [], ['127.0.0.1']),
  allowPlaintext: fc.boolean(),
  isSecure: fc.boolean(),
  address: fc.constantFrom('127.0.0.1', '192.0.2.7'),
  headers: fc.constantFrom({}, { 'x-forwarded-for': '192.0.2.7' }, { forwarded: 'for=192.0.2.7' }),
});

test('plain HTTP is for this computer alone, or for what was accepted; the report says what an Agent would expose', () => {
  fc.assert(
    fc.property(setting, ({ host, publicUrl, trustProxy, allowPlaintext, ...request }) => {
      const noted: unknown[] = [];
      const url = publicUrl === undefined ? {} : { publicUrl: new URL(publicUrl) };
      const transport = createTransport(
        {
          settings: { current: () => ({ agents: { allowPlaintext } }) },
          options: { host, ...url, ...(trustProxy ? { trustProxy } : {}) },
        } as never,
        { audit: { note: ({ type }: { type: string }) => void noted.push(type) }, toActor: () => null } as never,
      );
      const isPassedOn = Object.keys(request.headers).length > 0 && !trustProxy?.length;
      const isHere = host === '127.0.0.1' && request.address === '127.0.0.1' && !isPassedOn;
      const secure = request.isSecure || publicUrl === 'https://hub.lan';
      const isAccepted = secure || isHere || allowPlaintext;
      expect(transport.report(request as never)).toEqual({
        ...{ transport: secure ? 'https' : 'http', secure, consentRequired: !secure && !isHere, accepted: isAccepted },
        risks: secure ? [] : ['observations', 'token', 'injection'].map((risk) => `agent.transport.risk.${risk}`),
      });
      // What the public address promises is no proof that this request came that way.
      const isLetIn = request.isSecure || isHere || allowPlaintext;
      const refused = refusalOf(() => transport.guard({ request, principal: {} } as never));
      expect([refused?.[0], noted]).toEqual(
        isLetIn ? [undefined, []] : ['agent_transport', ['agent_transport_rejected']],
      );
    }),
    { numRuns: 400 },
  );
});
