// Windows that begin before what the hub keeps: answered from ClickHouse where it holds them; the answer says who answered.
import type { LongRange } from '#contract/connection-reports.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, isoTime, withDeadline } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { SummaryParams } from '../summary/query.ts';
import { type Ask, createAsk, type HistoryClient } from './ask.ts';
import { type HistoryWindow, toParameters } from './flows-query.ts';
import { readHeldHours } from './held-hours.ts';
import { countHistory, summariseHistory } from './summary.ts';

/** `answer` is null when the log of the hub answers. */
export interface LongRangeAnswer<T> {
  answer: T | null;
  longRange: LongRange;
}

/** Resolves to null when the hub keeps the whole window. Rejects only with the reason of the signal. */
export type History = ReturnType<typeof createHistory>;

export interface HistoryOptions {
  clock: Clock;
  log: Pick<Log, 'warn'>;
  retentionDays: () => number;
  /** The instant before which the retention removes everything, by days or by size. */
  keptSince: () => number;
  /** The first hour of the log, epoch milliseconds; null when it is empty. */
  logBegins: () => number | null;
  /** Null when there is no ClickHouse, or no reader of it is configured. */
  source: Source | null;
}

interface Source {
  /** The name of this hub in the rows. */
  hub: string;
  open(): Promise<HistoryClient & { close(): Promise<void> }>;
}

type LongRangeQuery = Pick<SummaryParams, 'src' | 'target' | 'country'> & { filter: ConnectionFilter; buckets: number };

export function createHistory({ clock, log, retentionDays, keptSince, logBegins, source }: HistoryOptions) {
  let opened: ReturnType<Source['open']> | null = null;
  const openOnce = ({ open }: Source) => {
    opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  const answer = async <T>(
    query: LongRangeQuery,
    signal: AbortSignal,
    read: (ask: Ask, window: HistoryWindow) => Promise<T>,
  ): Promise<LongRangeAnswer<T> | null> => {
    const { from } = query.filter;
    const since = keptSince();
    if (from === undefined || from >= since) {
      return null;
    }
    const window = toHistoryWindow(query, clock.now());
    const days = retentionDays();
    const isBySize = since > clock.now() - days * dayMs;
    const how = isBySize ? `from ${formatMinute(since)} on, by its limit of size` : `for ${days} days`;
    const kept = `the hub keeps connections ${how}: older ones are not in these totals`;
    if (source === null || window === null) {
      const why = source === null ? '' : ', and ClickHouse is not asked with this filter';
      return answerFromLog(`${kept}${why}.`);
    }
    try {
      return await withDeadline(clock, limits.historyMs, deadlineError, signal, async (inner) => {
        const ask = createAsk(await openOnce(source), toParameters(source.hub, window), inner);
        const held = await readHeldHours(ask);
        const begins = logBegins();
        if (held === null || (begins !== null && begins < held.from)) {
          const what = held === null ? 'no hour of this hub' : `hours of this hub from ${formatMinute(held.from)} on`;
          return answerFromLog(`ClickHouse holds ${what}, less than the log of the hub, which answers: ${kept}.`);
        }
        const { until } = held;
        const message = `Answered from ClickHouse, which holds hours from ${formatMinute(held.from)} to ${formatMinute(until)}: what came before or later is not in these totals.`;
        return { answer: await read(ask, window), longRange: { answeredBy: 'clickhouse', until, message } };
      });
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, 'a long range was not answered by ClickHouse: the log of the hub answers');
      const reason = messageOf(error).replace(/\n.*/s, '').slice(0, 200);
      return answerFromLog(`ClickHouse did not answer (${reason}), and ${kept}.`);
    }
  };
  return {
    summary: (params: Omit<SummaryParams, 'now'>, signal: AbortSignal) => answer(params, signal, summariseHistory),
    threatCounts: (filter: ConnectionFilter, signal: AbortSignal) =>
      answer({ filter, src: [], target: undefined, country: undefined, buckets: 1 }, signal, countHistory),
    async [Symbol.asyncDispose]() {
      const client = await opened;
      await client?.close();
    },
  };
}

function answerFromLog(message: string): LongRangeAnswer<never> {
  return { answer: null, longRange: { answeredBy: 'log', until: null, message } };
}

/** `2026-11-25T14:00Z`. */
const formatMinute = (at: number) => `${isoTime(at).slice(0, 16)}Z`;

const deadlineError = () => new Error(`no answer within ${limits.historyMs / 1000} s`);

/** Returns null for a filter that the rows in ClickHouse cannot answer as the log does. */
function toHistoryWindow({ filter, src, target, country, buckets }: LongRangeQuery, now: number): HistoryWindow | null {
  const { from = 0, to = now, sourceKind, sourceId, ...others } = filter;
  const isPlain = Object.values(others).every((value) => value === undefined);
  if (!isPlain || sourceKind === 'agent' || from > to) {
    return null;
  }
  const sources = src.map((address) => canonicalIp(address) ?? address);
  return { from, to, buckets, src: sources, target, country, router: sourceId };
}
