// How long a connection ran before the hub knew its destination as listed, for people.
import type { ThreatEvidence } from '#contract/connection-detail.ts';
import type { ListChange } from '#contract/retro-match.ts';
import type { FeedName } from '#contract/threat.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';

/** What is stored with a flow that ran before. */
export interface StoredRetro extends ListChange {
  feed: FeedName;
}

type RetroEvidence = NonNullable<ThreatEvidence['retro']>;

/** Null when the verdict is of another feed now: when that listed it is not stored. */
export function toRetroEvidence(
  stored: StoredRetro | null,
  { feed, firstSeen }: { feed: FeedName; firstSeen: number },
): RetroEvidence | null {
  if (stored?.feed !== feed) {
    return null;
  }
  const { cause, previousAt, listedAt } = stored;
  const seenBeforeMs = Math.max(0, listedAt - firstSeen);
  return { cause, previousAt, listedAt, seenBeforeMs, message: formatMessage(stored, firstSeen) };
}

function formatMessage({ cause, previousAt, listedAt }: StoredRetro, firstSeen: number): string {
  if (cause === 'settings') {
    return 'seen before new settings or an update made it a threat; the list is the same';
  }
  const most = formatSpan(listedAt - firstSeen);
  if (previousAt === null) {
    return `seen ${most} before the hub had this list; it is not known when it was listed`;
  }
  const least = formatSpan(previousAt - firstSeen);
  return `seen ${least === most ? most : `between ${least} and ${most}`} before it was listed`;
}

/** Whole days, hours or minutes: `6 days`, `1 minute`. */
function formatSpan(ms: number): string {
  const [unit, name] = ms >= 2 * dayMs ? [dayMs, 'day'] : ms >= 2 * hourMs ? [hourMs, 'hour'] : [minuteMs, 'minute'];
  const count = Math.floor(Math.max(0, ms) / unit);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
