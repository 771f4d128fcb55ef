// The rules of the publishers of feeds, kept by watching their requests: how often each document may be asked for, and
// that one which is there is asked for with its validators.
import { isoTime } from '#kernel/time/clock.ts';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import type { Entry } from '#simulators/support/simulator.ts';
import type { Home } from './home.ts';

export interface FeedRequest {
  at: number;
  path: string;
  status: number;
  conditional: boolean;
  /** It was answered as it should be. */
  isGood: boolean;
}

/** The shortest time between two requests, and between two after one that was answered; by the start of the path. */
const rules: readonly (readonly [path: string, floorMs: number, everyMs: number])[] = [
  ['/feodotracker/', 5 * minuteMs, hourMs],
  ['/threatfox/files/exports/recent', 5 * minuteMs, hourMs],
  ['/threatfox/files/exports/full', hourMs, 24 * hourMs],
  ['/urlhaus/', 5 * minuteMs, hourMs],
  ['/spamhaus/', hourMs, 12 * hourMs],
  ['/hunting/', hourMs, 6 * hourMs],
];

/** Sentences about requests that break a rule; `before` is the one before of the same path. */
export function brokenRules(request: FeedRequest, before: FeedRequest | undefined): string[] {
  const [, floorMs = 0, everyMs = 0] = rules.find(([start]) => request.path.startsWith(start)) ?? [];
  if (before === undefined) {
    return [];
  }
  const afterMs = request.at - before.at;
  // Times vary by a tenth.
  const leastMs = Math.max(floorMs, before.isGood ? everyMs * 0.9 : 0);
  return [
    ...(afterMs < leastMs
      ? [
          `feeds: ${request.path} was asked for after ${Math.round(afterMs / minuteMs)} min (${isoTime(before.at)}), not ${Math.round(leastMs / minuteMs)}`,
        ]
      : []),
    ...(before.status === 304 && !request.conditional
      ? [`feeds: ${request.path} was asked for without validators`]
      : []),
    ...(before.status === 429 && afterMs < 15 * minuteMs
      ? [`feeds: ${request.path} was asked for before its Retry-After`]
      : []),
  ];
}

export interface FeedWatch {
  /** What was wrong since the last look. */
  look(): string[];
}

export function createFeedWatch({ feeds }: Pick<Home, 'feeds'>): FeedWatch {
  let last: Entry | undefined;
  const latest = new Map<string, FeedRequest>();
  return {
    look() {
      const journal = feeds.journal();
      const fresh: Entry[] = [];
      for (let index = journal.length - 1; index >= 0 && journal[index] !== last; index -= 1) {
        fresh.unshift(journal[index] as Entry);
      }
      last = journal.at(-1) ?? last;
      const spoilt = new Set<string>();
      const problems: string[] = [];
      for (const { kind, at, path: asked, status, conditional } of fresh) {
        const path = String(asked);
        if (kind === 'fault') {
          spoilt.add(path);
        } else if (kind === 'request') {
          const isGood = !spoilt.delete(path) && (status === 200 || status === 304);
          const request = { at, path, status: Number(status), conditional: conditional === true, isGood };
          problems.push(...brokenRules(request, latest.get(path)));
          latest.set(path, request);
        }
      }
      return problems;
    },
  };
}
