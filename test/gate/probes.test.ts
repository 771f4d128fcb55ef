// Single probes against an endpoint that answers as the test says: counts and times at their boundaries.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pass } from '#gate/check.ts';
import { modern } from '#gate/mcp-messages.ts';
import { burstCheck } from '#gate/probes/burst.ts';
import type { ProbeContext } from '#gate/probes/context.ts';
import { limitChecks } from '#gate/probes/limits.ts';
import { eventually } from '../support/eventually.ts';
import { type Answered, type ProbeLab, startProbeLab } from '../support/probe-lab.ts';
import { verifies } from '../support/verifies.ts';

let lab: ProbeLab;
beforeAll(async () => {
  lab = await startProbeLab();
});
afterAll(() => lab[Symbol.asyncDispose]());

const stopped = { status: 429, headers: { 'retry-after': '60' } };
const stranger = { status: 401 };
const ofThree = { MCP_GATE_RATE_PROBE_REQUESTS: '3' };
const judge = (id: string, context: ProbeContext) =>
  [burstCheck, ...limitChecks].find((check) => check.id === id)?.judge(context);

describe('the burst without tokens', () => {
  verifies('gate.probe.burst', 'a 429 at exactly the last request is in time, and one later is not', async () => {
    lab.answers((at) => (at < 3 ? stranger : stopped));
    const context = lab.context(ofThree);
    expect(await judge('limit.burst', context)).toEqual(pass);
    expect(lab.counted).toEqual([1, 2, 3]);
    expect(context.sent.get('burst')).toBe(lab.asked[2]?.headers['x-request-id']);
    lab.answers((at) => (at < 4 ? stranger : stopped));
    expect(await judge('limit.burst', lab.context(ofThree))).toEqual({
      outcome: 'fail',
      because: '3 requests within a moment were all let through to authentication',
    });
    expect(lab.asked).toHaveLength(3);
  });

  test.each([
    ['without Retry-After', { status: 429 }, '429 comes without Retry-After in seconds'],
    [
      'with a date as Retry-After',
      { status: 429, headers: { 'retry-after': 'Sun, 01 Mar 2026 03:00:00 GMT' } },
      '429 comes without Retry-After in seconds',
    ],
    [
      'with Retry-After 0',
      { status: 429, headers: { 'retry-after': '0' } },
      '429 comes without Retry-After in seconds',
    ],
    ['as 503', { status: 503 }, 'request 2 is answered with 503'],
  ])('an end %s fails', async (_how, end, because) => {
    lab.answers((at) => (at < 2 ? stranger : end));
    expect(await judge('limit.burst', lab.context(ofThree))).toEqual({ outcome: 'fail', because });
    expect(lab.asked).toHaveLength(2);
  });
});

describe('an address that asked too often', () => {
  const addressed = (given: { from?: number; spoofed?: Answered; again?: Answered; elsewhere?: Answered }) => {
    const { from = 3, spoofed = stopped, again = stopped, elsewhere = stranger } = given;
    lab.answers((at, { address, headers }) => {
      if (at < from) {
        return stranger;
      }
      if (address !== '127.0.0.1') {
        return elsewhere;
      }
      return headers['x-forwarded-for'] === undefined ? (at === from ? stopped : again) : spoofed;
    });
    return judge('limit.address', lab.context(ofThree));
  };

  test('is refused whatever address it names, and another one is not: that passes', async () => {
    expect(await addressed({})).toEqual(pass);
    expect(lab.asked).toHaveLength(6);
    expect(lab.asked.map(({ address }) => address === '127.0.0.1')).toEqual([true, true, true, true, true, false]);
  });

  test.each([
    ['is not refused at the last request of a new burst', { from: 4 }, 'untestable', /another burst is not stopped/],
    ['is served again when it asks anew', { again: stranger }, 'untestable', /ended during it/],
    ['buys an allowance by a header', { spoofed: stranger }, 'fail', /^a header that names .* with 401$/],
    ['shuts out another one', { elsewhere: stopped }, 'fail', /^a client at another address .* with 429$/],
  ])('%s', async (_how, given, outcome, because) => {
    expect(await addressed(given)).toEqual({ outcome, because: expect.stringMatching(because) });
  });
});

describe('a 429 before the burst', () => {
  const ask = modern('tools/list');

  test('is waited out once, for a minute at most', async () => {
    lab.answers(() => stopped);
    const context = lab.context();
    const answer = context.mcp('read', ask);
    await eventually(
      async () => [lab.asked.length, lab.clock.sleeping],
      ([asked, sleeping]) => (asked === 1 && sleeping === 1 ? true : undefined),
    );
    await lab.clock.advance(59_999);
    expect(lab.asked).toHaveLength(1);
    await lab.clock.advance(1);
    expect(await answer).toMatchObject({ status: 429 });
    expect(lab.asked).toHaveLength(2);
  });

  test.each([
    ['that asks for more than a minute', 'read', { status: 429, headers: { 'retry-after': '61' } }],
    ['that says no time', 'read', { status: 429 }],
    ['in a burst', 'burst-more', stopped],
  ])('%s is not waited out', async (_how, name, answered) => {
    lab.answers(() => answered);
    expect(await lab.context().mcp(name, ask)).toMatchObject({ status: 429 });
    expect(lab.asked).toHaveLength(1);
    expect(lab.clock.sleeping).toBe(0);
  });
});
