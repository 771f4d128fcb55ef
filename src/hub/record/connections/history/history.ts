// Windows that begin before what the hub keeps: answered from ClickHouse where hours were sent to one, else said.
import type { LongRange } from '#contract/connection-reports.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, isoTime, withDeadline } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { SummaryParams } from '../summary/query.ts';
import { type Ask, asker, type HistoryClient } from './ask.ts';
import { type HistoryWindow, parametersOf } from './flows-query.ts';
import { heldHours } from './held-hours.ts';
import { countHistory, type HistorySummary, summariseHistory } from './summary.ts';

/** `answer` is null when the log is to answer; `said` goes with either. */
export interface Historic<T> {
  answer: T | null;
  said: LongRange;
}

/** Null: the hub keeps the whole window. Rejects only with the reason of the signal. */
export interface History extends AsyncDisposable {
  summary(params: Omit<SummaryParams, 'now'>, signal: AbortSignal): Promise<Historic<HistorySummary> | null>;
  threatCounts(
    filter: ConnectionFilter,
    signal: AbortSignal,
  ): Promise<Historic<Awaited<ReturnType<typeof countHistory>>> | null>;
}

export interface HistoryOptions {
  clock: Clock;
  log: Pick<Log, 'warn'>;
  retentionDays: () => number;
  /** The first hour of the log, epoch milliseconds; null when it is empty. */
  logBegins: () => number | null;
  /** Where closed hours are, and how the hub is called there; null: nowhere, or no reader is set. */
  source: { hub: string; open(): Promise<HistoryClient & { close(): Promise<void> }> } | null;
}

type Asked = Pick<SummaryParams, 'src' | 'target' | 'country'> & { filter: ConnectionFilter; buckets: number };

export function createHistory({ clock, log, retentionDays, logBegins, source }: HistoryOptions): History {
  const opened: { client: ReturnType<NonNullable<typeof source>['open']> | null } = { client: null };
  const clientOf = (open: NonNullable<typeof source>['open']) => {
    opened.client ??= open().catch((error: unknown) => {
      opened.client = null;
      throw error;
    });
    return opened.client;
  };
  const answer = async <T>(
    asked: Asked,
    signal: AbortSignal,
    work: (ask: Ask, window: HistoryWindow) => Promise<T>,
  ): Promise<Historic<T> | null> => {
    const { from } = asked.filter;
    const days = retentionDays();
    if (from === undefined || from >= clock.now() - days * dayMs) {
      return null;
    }
    const window = windowOf(asked, clock.now());
    const kept = `the hub keeps connections for ${days} days: older ones are not in these totals`;
    if (source === null || window === null) {
      const why = source === null ? '' : ', and ClickHouse is not asked with this filter';
      return { answer: null, said: { answeredBy: 'log', until: null, message: `${kept}${why}.` } };
    }
    try {
      return await withDeadline(clock, limits.historyMs, lateAnswer, signal, async (inner) => {
        const client = await clientOf(source.open);
        const ask = asker(client, parametersOf(source.hub, window), inner);
        const held = await heldHours(ask);
        const begins = logBegins();
        if (held === null || (begins !== null && begins < held.from)) {
          const what = held === null ? 'no hour of this hub' : `hours of this hub from ${minute(held.from)} on`;
          const message = `ClickHouse holds ${what}, less than the log of the hub, which answers: ${kept}.`;
          return { answer: null, said: { answeredBy: 'log' as const, until: null, message } };
        }
        const { from: since, until } = held;
        const message = `Answered from ClickHouse, which holds hours from ${minute(since)} to ${minute(until)}: what came before or later is not in these totals.`;
        const found = await work(ask, window);
        return { answer: found, said: { answeredBy: 'clickhouse' as const, until, message } };
      });
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, 'a long range was not answered by ClickHouse: the log of the hub answers');
      const message = `ClickHouse did not answer (${messageOf(error).replace(/\n.*/s, '').slice(0, 200)}), and ${kept}.`;
      return { answer: null, said: { answeredBy: 'log', until: null, message } };
    }
  };
  return {
    summary: (params, signal) => answer(params, signal, summariseHistory),
    threatCounts: (filter, signal) =>
      answer({ filter, src: undefined, target: undefined, country: undefined, buckets: 1 }, signal, countHistory),
    async [Symbol.asyncDispose]() {
      const client = await opened.client;
      await client?.close();
    },
  };
}

/** `2026-11-25T14:00Z`. */
const minute = (at: number) => `${isoTime(at).slice(0, 16)}Z`;

const lateAnswer = () => new Error(`no answer within ${limits.historyMs / 1000} s`);

/** Null for a filter of the log that the rows in ClickHouse cannot answer alike. */
function windowOf({ filter, src, target, country, buckets }: Asked, now: number): HistoryWindow | null {
  const { from = 0, to = now, sourceKind, sourceId, ...others } = filter;
  const isPlain = Object.values(others).every((value) => value === undefined);
  if (!isPlain || sourceKind === 'agent' || from > to) {
    return null;
  }
  const source = src === undefined ? undefined : (canonicalIp(src) ?? src);
  return { from, to, buckets, src: source, target, country, router: sourceId };
}
