// Raises retro-matches: a card for each device and destination whose flows ran before, in bounded transactions.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { Base } from '../../base/feature.ts';
import type { Logged, Raised, Raiser } from './raise.ts';
import { readPairsWithoutCard, takeCard } from './retro-cards.ts';

export interface RetroMatchesOptions extends Pick<Base, 'clock' | 'db'>, Raiser {
  /** Milliseconds between two reads of a router's table. */
  pollMs: number;
  /** Called once when there is news: what is told in one go is one message. */
  wake: () => void;
  /** Called after each commit; of the rows, `mostEntries` at most are sent as live updates. */
  announce: (logged: readonly Logged[], mostEntries: number) => void;
  signal: AbortSignal | undefined;
}

/** Cards of a transaction: polls run in between. */
const cardsAtOnce = 50;

/** Makes all cards that are due, and returns how many were news. At most 50 are announced. */
export async function raiseRetroMatches(options: RetroMatchesOptions): Promise<number> {
  const { db, announce, wake, signal } = options;
  let news = 0;
  let events = limits.retroMatchEvents;
  try {
    while (readPairsWithoutCard(db, 1).length > 0) {
      signal?.throwIfAborted();
      const raised = await db.write((writer) => raiseSome(writer, options));
      news += raised.length;
      const logged = raised.flatMap((one) => one.logged ?? []);
      announce(logged, events);
      events -= Math.min(events, logged.length);
    }
  } finally {
    if (news > 0) {
      wake();
    }
  }
  return news;
}

/** Makes some cards. One transaction marks their flows as done, logs each card and queues its alert, so a crash loses none. */
function* raiseSome(
  writer: Writer,
  { clock, pollMs, raise, markTold }: RetroMatchesOptions,
): WriteSteps<readonly Raised[]> {
  const news: Raised[] = [];
  const ongoingMs = Math.max(limits.retroMatchOngoingMs, 2 * pollMs);
  for (const pair of readPairsWithoutCard(writer, cardsAtOnce)) {
    const card = yield* takeCard(writer, pair, { now: clock.now(), ongoingMs });
    if (card) {
      const { matchType, matchValue, level } = card.threat;
      const about = [card.dst, matchType, matchValue, level].join(' ');
      const raised = raise(writer, { detected: card, about, quietMs: limits.detectionRetroQuietMs });
      if (raised) {
        // The card reports the same threat: no second alert about it.
        markTold(writer, 'threat', card.src, card.dst);
        news.push(raised);
      }
    }
    yield;
  }
  return news;
}
