// What `/api/status` says of the sink, and how long it waits after a failure.
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CauseCode } from '#contract/facts.ts';
import { limits } from '#contract/limits.ts';
import { sinkEnv, sinkSettings } from '#hub/base/settings/sink.ts';
import { toWarnings } from '#hub/base/statements.ts';
import { retryDelayMs } from '#hub/record/sink/retry.ts';
import { toSinkStatus } from '#hub/record/sink/sink-status.ts';
import type { Backlog, SinkStore } from '#hub/record/sink/sink-store.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = 20_000 * day + 90_000;
const retentionDays = 30;
const firstKept = (now - 90_000 - retentionDays * day) / hour;

interface Given extends Partial<Backlog> {
  lostHours?: number;
  lastError?: string | null;
  lastCause?: CauseCode | null;
  stored?: { rows: number; bytes: number } | null;
}

function statusOf({ lostHours = 0, lastError = null, lastCause = null, stored = null, ...backlog }: Given) {
  const settings = sinkSettings(z.object(sinkEnv).parse({ MONITOR_CLICKHOUSE_URL: 'https://clickhouse.test:8443' }));
  const store: Pick<SinkStore, 'state' | 'backlog'> = {
    state: () => ({ position: 7, sweptAt: 8, lastSentAt: 9, lostHours }),
    backlog: () => ({ hours: 0, rows: 0, oldest: null, refused: 0, ...backlog }),
  };
  const progress = { lastError, lastCause, nextTryAt: 11, stored };
  const parts = {
    settings: settings as NonNullable<typeof settings>,
    store: store as SinkStore,
    progress,
    removedBefore: now + 2 * day - retentionDays * day,
  };
  const { sink, warnings = [] } = toSinkStatus(parts);
  return { sink, ...toWarnings(warnings) };
}

test('a sink that is in step has no warning, and no figure of a server that gave none', () => {
  expect(statusOf({})).toEqual({
    sink: {
      ...{ server: 'https://clickhouse.test:8443', hub: 'hub', hoursNotSent: 0, rowsNotSent: 0, oldestNotSentAt: null },
      ...{ lastSentAt: 9, lastError: null, nextTryAt: 11, lostHours: 0, refusedHours: 0 },
      ...{ storedRows: null, storedBytes: null },
    },
    warnings: [],
    warningFacts: [],
  });
  expect(statusOf({ stored: { rows: 0, bytes: 5 } }).sink).toMatchObject({ storedRows: 0, storedBytes: 5 });
});

test('two days before the retention removes an hour that was not sent there is a warning', () => {
  const waiting = (oldest: number, lastError: string | null = null) =>
    statusOf({ hours: 3, rows: 4, oldest, lastError });
  const late = firstKept + 48;
  expect(waiting(late)).toMatchObject({
    sink: { hoursNotSent: 3, rowsNotSent: 4, oldestNotSentAt: late * hour },
    warnings: [],
    warningFacts: [],
  });
  expect(waiting(late - 1).warnings).toEqual([
    'the retention soon removes hours that ClickHouse does not have: they are being sent; see retentionDays and retentionBytes of the settings',
  ]);
  expect(waiting(firstKept - 1, 'it is away').warnings).toEqual([
    expect.stringContaining('does not have: it is away; see'),
  ]);
});

test('the cause that the connection names is a value of the warnings', () => {
  const given = { lastError: 'it is away', lastCause: 'refused', refused: 1, hours: 1, oldest: firstKept - 1 } as const;
  const values = { detail: 'it is away', cause: 'refused' };
  expect(statusOf(given).warningFacts).toMatchObject([
    { code: 'sink_soon_removed', values },
    { code: 'sink_refused', values },
  ]);
});

test('hours that are lost or refused are counted, one or many', () => {
  expect(statusOf({ lostHours: 1, refused: 1 }).warnings).toEqual([
    '1 hour was removed by the retention before ClickHouse took them',
    'ClickHouse does not take the rows of 1 hour: they are tried again every six hours',
  ]);
  expect(statusOf({ lostHours: 2, refused: 3, lastError: 'a bad row' }).warnings).toEqual([
    '2 hours were removed by the retention before ClickHouse took them',
    'ClickHouse does not take the rows of 3 hours: a bad row',
  ]);
});

test('waits double from two seconds to ten minutes, a random half to all of them', () => {
  for (const failures of [0, 1, 2, 7, 8, 9, 20, 21, 5000]) {
    const whole = Math.min(limits.sinkRetryMinMs * 2 ** failures, limits.sinkRetryMaxMs);
    const waits = Array.from({ length: 300 }, () => retryDelayMs(failures));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(whole / 2);
    expect(Math.max(...waits)).toBeLessThanOrEqual(whole);
    // Of 300 draws none in the upper or the lower quarter of the range has a chance of 10^-37.
    expect(Math.min(...waits)).toBeLessThan(whole * 0.625);
    expect(Math.max(...waits)).toBeGreaterThan(whole * 0.875);
  }
});
