// What `gatehouse agent status` says that somebody has to do, one fact after the other.
import { expect, test } from 'vitest';
import type { AgentRecord } from '#agent/record.ts';
import { type ReportFacts, statusReport } from '#agent/status/report.ts';
import { statusText } from '#agent/status/status-command.ts';
import type { AgentStatus } from '#agent/status/status-file.ts';

const now = Date.UTC(2026, 5, 1);
const record: AgentRecord = {
  hubUrl: 'https://hub.example.net/',
  ca: 'the PEM text',
  agentId: 'an-agent',
  hostName: 'desk',
  store: 'sealed',
  credentialName: 'a-request',
  acceptsPlaintext: false,
  enrolledAt: now,
  rotatedAt: now,
  rotationStartedAt: null,
};
const well: AgentStatus = {
  pid: 42,
  at: now - 3000,
  startedAt: now - 60_000,
  hubUrl: record.hubUrl,
  sources: [{ name: 'socket-tables', active: true, reason: null, cannotSee: ['short connections'] }],
  counters: { connections: 1, withoutProcess: 0, missedByPolling: 0, lostEvents: 0, isLossKnown: true, polls: 1 },
  spool: {
    batches: 0,
    bytes: 0,
    maxBytes: 1,
    droppedBatches: 0,
    droppedObservations: 0,
    damagedBatches: 0,
    parked: 0,
    removedBatches: 0,
  },
  delivery: {
    deliveredBatches: 1,
    deliveredObservations: 1,
    lastDeliveredAt: now,
    failure: null,
    nextTryAt: null,
    lastParked: null,
    hubAheadMs: 20,
  },
  unusable: 0,
  lost: 0,
  rotateDays: 30,
};
const facts: ReportFacts = { record, pending: null, status: well, pid: 42, now };
const failing = (kind: 'refused' | 'retry' | 'disk', reason: string, since: number) => ({
  ...well,
  delivery: { ...well.delivery, failure: { kind, reason, since, failures: 3 } },
});

test('nothing when all is well', () => {
  const report = statusReport(facts);
  expect(report.needs).toBeNull();
  expect(report.nextRotationAt).toBe(now + 30 * 86_400_000);
  expect(JSON.stringify(report)).not.toMatch(/PEM|a-request/);
  expect(statusText(report)).toContain('source     socket-tables: active\n           - short connections');
});

test('a loss that is not known is said to be unknown', () => {
  const counters = { ...well.counters, lostEvents: 2, isLossKnown: false };
  expect(statusText(statusReport({ ...facts, status: { ...well, counters } }))).toContain(
    '2 events lost, and an unknown number that the kernel dropped',
  );
});

test.each<[string, Partial<ReportFacts>, RegExp | null]>([
  ['not enrolled', { record: null }, /not enrolled/],
  ['not running', { pid: null }, /does not run/],
  ['a status of another process', { pid: 43 }, /has not written its status/],
  ['an old status', { now: now + 60_000 }, /has not written its status/],
  ['refused', { status: failing('refused', 'no such Agent', now) }, /refuses this Agent \(no such Agent\).*--replace/],
  ['a failure of a minute', { status: failing('retry', 'no answer', now - 60_000) }, null],
  [
    'a failure of two hours',
    { status: failing('retry', 'no answer', now - 7_200_000) },
    /more than an hour: no answer/,
  ],
  ['an old hub', { status: failing('retry', 'this hub is too old', now) }, /too old/],
  ['lost observations', { status: { ...well, lost: 5 } }, /5 observations could not be written/],
  ['dropped batches', { status: { ...well, spool: { ...well.spool, droppedBatches: 2 } } }, /2 batches were dropped/],
  ['a disk that refuses', { status: failing('disk', 'EMFILE: why', now) }, /nothing is deleted: EMFILE: why/],
  [
    'damaged batches',
    { status: { ...well, spool: { ...well.spool, droppedBatches: 3, damagedBatches: 2 } } },
    /2 batches were damaged on disk/,
  ],
  ['parked batches', { status: { ...well, spool: { ...well.spool, parked: 2 } } }, /2 batches are in parked\//],
  [
    'parked batches that gave way',
    { status: { ...well, spool: { ...well.spool, parked: 2, removedBatches: 7 } } },
    /7 older ones were removed for want of room/,
  ],
  [
    'a clock that is behind',
    { status: { ...well, delivery: { ...well.delivery, hubAheadMs: 600_000 } } },
    /differ by 600 s/,
  ],
  [
    'a clock that is ahead',
    { status: { ...well, delivery: { ...well.delivery, hubAheadMs: -600_000 } } },
    /differ by 600 s/,
  ],
  ['no source', { status: { ...well, sources: [] } }, /no source of connections works/],
])('%s', (_, part, sentence) => {
  const { needs } = statusReport({ ...facts, ...part });
  if (sentence === null) {
    expect(needs).toBeNull();
  } else {
    expect(needs).toMatch(sentence);
  }
});
