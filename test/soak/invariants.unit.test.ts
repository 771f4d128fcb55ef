// Each invariant of the soak is seen red by a violation that is planted, and green next to it.
import { describe, expect, test } from 'vitest';
import { createRandom } from '../support/random.ts';
import { descriptorProblem } from './invariants/descriptors.ts';
import { type Answered, feedProblem, parseAnswer } from './invariants/feeds.ts';
import { growthProblem, measureGrowth } from './invariants/growth.ts';
import { healthProblem } from './invariants/health.ts';
import { statusProblem } from './invariants/status.ts';
import { doubleProblem, lostProblem, parseAlert, type StoredBatches, toldTwice } from './invariants/stored.ts';
import { createChecks } from './run/checks.ts';
import { selectJudged, selectUsualThreads } from './run/judged-samples.ts';
import { parseAck } from './world/agents.ts';

describe('status', () => {
  const promised = { downMs: 50_000, upMs: (wasDownMs: number) => wasDownMs + 60_000 };
  const at = { name: 'vendor_a', says: 'ready', hubSince: 0, now: 1_000_000 };
  const down = (agoMs: number) => ({ isDown: true, since: at.now - agoMs, wasDownMs: 0 });
  const up = (agoMs: number, wasDownMs: number) => ({ isDown: false, since: at.now - agoMs, wasDownMs });

  test('a router that is down and said to be up is a problem once the promised time is over', () => {
    const judge = (agoMs: number, hubSince = 0) =>
      statusProblem({ ...at, hubSince, saysDown: false, truth: down(agoMs) }, promised);
    expect(judge(50_000)).toBeNull();
    expect(judge(50_001)).toMatch(/^vendor_a is down for 50\.0 s and the hub says it is up \(ready\)/);
    expect(judge(50_001, at.now - 10_000)).toBeNull();
  });

  test('a router that is up again and said to be down is one after its back-off', () => {
    const judge = (agoMs: number) => statusProblem({ ...at, saysDown: true, truth: up(agoMs, 40_000) }, promised);
    expect(judge(100_000)).toBeNull();
    expect(judge(100_001)).toMatch(/^vendor_a is up for 100\.0 s and the hub says it is down/);
  });

  test('what is said as it is is none, however long', () => {
    expect(statusProblem({ ...at, saysDown: true, truth: down(900_000) }, promised)).toBeNull();
    expect(statusProblem({ ...at, saysDown: false, truth: up(900_000, 0) }, promised)).toBeNull();
  });
});

describe('health', () => {
  const answered = (...elapsedMs: number[]) => ({ elapsedMs, failed: [] });

  test('an answer over the bound is a problem, unless the machine was as late', () => {
    expect(healthProblem({ hub: answered(3, 501), bareMs: 0, coreWaitMs: 0, perCore: 0.5 })).toMatch(
      /^\/healthz took 501 ms, over 500/,
    );
    expect(healthProblem({ hub: answered(3, 501), bareMs: 1, coreWaitMs: 0, perCore: 0.5 })).toBeNull();
    expect(healthProblem({ hub: answered(3, 501), bareMs: 0, coreWaitMs: 2, perCore: 0.5 })).toBeNull();
    expect(healthProblem({ hub: answered(3, 1601), bareMs: 500, coreWaitMs: 100, perCore: 0.5 })).toMatch(
      /took 1601 ms, over 1600/,
    );
  });

  test('where twelve programs want a core, it takes twelve times as long', () => {
    const judge = (ms: number) => healthProblem({ hub: answered(ms), bareMs: 0, coreWaitMs: 0, perCore: 12 });
    expect(judge(6000)).toBeNull();
    expect(judge(6001)).toMatch(/over 6000: 500 of a core that 12\.0 programs want/);
  });

  test('an answer that is none is a problem', () => {
    expect(
      healthProblem({ hub: { elapsedMs: [1], failed: ['503'] }, bareMs: 900, coreWaitMs: 0, perCore: 0.5 }),
    ).toMatch(/with 503/);
  });
});

describe('memory', () => {
  /** 96 samples, one each 20 s, that wander as the heap of a process does. */
  const wandering = (slope: number, seed: number) => {
    const random = createRandom(seed);
    let noise = 0;
    return Array.from({ length: 96 }, (_, index) => {
      noise = 0.6 * noise + (random() - 0.5);
      return { x: index / 180, y: 120 + (slope * index) / 180 + noise };
    });
  };
  const judge = (slope: number, seed: number) =>
    growthProblem('memory', 'MiB', measureGrowth(wandering(slope, seed)), 1);

  test.each([1, 2, 3, 4, 5])('a leak of 8 MiB an hour is found, and memory that wanders is none (seed %i)', (seed) => {
    expect(judge(8, seed)).toMatch(/^memory grows by \d\.\d\d ± \d\.\d\d MiB an hour \(96 samples\), over 1$/);
    expect(judge(0, seed)).toBeNull();
  });

  test('the slope is exact, and of too few samples nothing is said', () => {
    const { slope, within } = measureGrowth([0, 1, 2, 3, 4].map((x) => ({ x, y: 10 + 3 * x })));
    expect(slope).toBeCloseTo(3);
    expect(within).toBeCloseTo(0);
    expect(growthProblem('memory', 'MiB', measureGrowth([0, 1, 2].map((x) => ({ x, y: 99 * x }))), 1)).toBeNull();
  });

  test('neighbours that hang together make the slope less sure', () => {
    const alternating = measureGrowth(Array.from({ length: 40 }, (_, x) => ({ x, y: x % 2 })));
    const inBlocks = measureGrowth(Array.from({ length: 40 }, (_, x) => ({ x, y: Math.floor(x / 10) % 2 })));
    expect(inBlocks.within).toBeGreaterThan(2.5 * alternating.within);
  });
});

describe('descriptors', () => {
  test('the fewest of late may be a few more than the fewest in the beginning', () => {
    expect(descriptorProblem([70, 66, 90], [74, 80, 99])).toBeNull();
    expect(descriptorProblem([70, 66, 90], [75, 80, 99])).toMatch(/never had fewer than 75 .* and 66/);
  });
});

describe('what is stored', () => {
  const ack = (batchId: string, accepted: number) => ({ batchId, accepted, duplicate: 0, seenAt: 0 });
  const row = { rows: 1, accepted: 8, observations: 8 };
  const stored = (more: Partial<StoredBatches> = {}): StoredBatches => ({
    rows: new Map([
      ['a', row],
      ['b', row],
    ]),
    doubleFlows: 0,
    doubleObservations: 0,
    ...more,
  });

  test('an acknowledged batch that is not there, or not whole, is lost', () => {
    expect(lostProblem([ack('a', 8), ack('b', 8)], stored())).toBeNull();
    expect(lostProblem([ack('a', 8), ack('c', 8)], stored())).toMatch(
      /^1 of 2 batches were acknowledged .* such as c$/,
    );
    expect(lostProblem([ack('a', 9)], stored())).toMatch(/^of batch a 9 observations were accepted and 8 are/);
  });

  test('what is there twice is found: batches, observations, flows', () => {
    expect(doubleProblem(stored())).toBeNull();
    expect(doubleProblem(stored({ rows: new Map([['a', { ...row, rows: 2 }]]) }))).toMatch(/^batch a .* 2 times$/);
    expect(doubleProblem(stored({ doubleFlows: 3 }))).toMatch(/^3 flows/);
    expect(doubleProblem(stored({ doubleObservations: 1 }))).toMatch(/^1 observations/);
  });

  test('news that is told again in the same words is told twice', () => {
    expect(toldTwice(['a new device', 'another one'])).toBeNull();
    expect(toldTwice(['a new device', 'x', 'a new device'])).toBe('the chat workspace was told 2 times: a new device');
  });

  test('an alert is read from the journal of the workspace, a test message is left out', () => {
    const line = (text: string) => `chat message channel="D1" text=${JSON.stringify(text)} blocks=[] user="U1" at=5`;
    expect(parseAlert(line('New device "nas"'))).toEqual(['New device "nas"']);
    expect(parseAlert(line('*Gatehouse can reach you here* <!date^1795622657^…>'))).toEqual([]);
    expect(parseAlert('chat answer number=3 status=200 body="{}"')).toEqual([]);
  });

  test('an ACK is read from the journal of an Agent, and nothing else is taken for one', () => {
    const line = 'agent batch agent="desk" batchId="b-1" observations=8 status=200';
    const text = '{"batchId":"b-1","accepted":7,"duplicate":1,"rejected":0,"receivedAt":5,"replayed":false}';
    expect(parseAck(`${line} ack=${text} error=null`, 9)).toEqual([
      { batchId: 'b-1', accepted: 7, duplicate: 1, seenAt: 9 },
    ]);
    expect(parseAck(`${line} ack=null error="ECONNRESET"`, 9)).toEqual([]);
    expect(parseAck('agent fault agent="desk" fault="loses-ack"', 9)).toEqual([]);
  });
});

describe('feeds', () => {
  const answered = (status: number, at = 0): Answered =>
    new Map([['/urlhaus/files/exports/recent.csv', { status, at }]]);
  const sight = { id: 'feed_url' as const, message: null };

  test('a feed is stale when its publisher refused it last, and well when it answered', () => {
    expect(feedProblem({ ...sight, state: 'ok' }, answered(500), 10)).toMatch(/said to be ok, .* with 500$/);
    expect(feedProblem({ ...sight, state: 'stale' }, answered(304), 10)).toMatch(/said to be stale/);
    expect(feedProblem({ ...sight, state: 'stale' }, answered(500), 10)).toBeNull();
    expect(feedProblem({ ...sight, state: 'ok' }, answered(200), 10)).toBeNull();
  });

  test('what was answered just now, or another publisher answered, is not held against it', () => {
    expect(feedProblem({ ...sight, state: 'ok' }, answered(500, 11), 10)).toBeNull();
    expect(feedProblem({ ...sight, id: 'feed_c2', state: 'ok' }, answered(500), 10)).toBeNull();
    expect(
      parseAnswer('feeds request method="GET" path="/urlhaus/x.csv" query="" conditional=true status=304 bytes=0'),
    ).toEqual({
      path: '/urlhaus/x.csv',
      status: 304,
    });
    expect(parseAnswer('chat call number=1 method="auth.test"')).toBeNull();
  });
});

test('the first broken invariant is kept, and every check is counted', () => {
  const checks = createChecks();
  checks.check('status', null);
  checks.check('health', 'late');
  checks.check('status', 'false');
  expect(checks.counts).toMatchObject({ status: 2, health: 1, memory: 0 });
  expect(checks.broken).toEqual({ invariant: 'health', problem: 'late' });
});

describe('the samples that memory is judged by', () => {
  const life = (number: number, minutes: number) =>
    Array.from({ length: minutes }, (_, index) => ({ life: number, ageMs: (index + 1) * 60_000 }));
  const judged = (...lives: ReturnType<typeof life>[]) => {
    const found = selectJudged(lives.flat());
    return found.length === 0 ? null : [found[0]?.life, found[0]?.ageMs, found.length];
  };

  test('are those of the longest life behind its first half, or its first half hour', () => {
    expect(judged(life(1, 20), life(2, 44), life(3, 5))).toEqual([2, 22 * 60_000, 23]);
    expect(judged(life(1, 100))).toEqual([1, 30 * 60_000, 71]);
  });

  test('are none when no life is as long as 24 minutes', () => {
    expect(judged(life(1, 23), life(2, 23))).toBeNull();
    expect(judged(life(1, 24))).toEqual([1, 12 * 60_000, 13]);
    expect(judged()).toBeNull();
  });

  test('are compared by what all threads hold where as many answered as mostly do', () => {
    const all = [4, 3, 4, 5, 4].map((threads, index) => ({ threads, index }));
    expect(selectUsualThreads(all).map(({ index }) => index)).toEqual([0, 2, 4]);
    expect(selectUsualThreads([])).toEqual([]);
  });
});
