// Whether what the hub says of each threat feed agrees with what its publisher answered last, by the publisher's journal.
import type { FeedName, FeedState } from '#contract/threat.ts';

/** The last answer to each path, and when it was seen; of one feed there may be several documents. */
export type Answered = ReadonlyMap<string, { status: number; at: number }>;

const prefixes: Readonly<Record<FeedName, string>> = {
  feed_c2: '/feodotracker/',
  feed_ioc: '/threatfox/',
  feed_url: '/urlhaus/',
  feed_drop: '/spamhaus/',
};

/** The path and the status of a request in the journal; null for another line. */
export function parseAnswer(line: string): { path: string; status: number } | null {
  const [, path, status] = /^feeds request .*\bpath="([^"]+)".*\bstatus=(\d+)/.exec(line) ?? [];
  return path === undefined ? null : { path, status: Number(status) };
}

export interface FeedSight {
  id: FeedName;
  state: FeedState;
  message: string | null;
}

/** Of what was answered before `dueAt`: what is younger may not be stored yet. */
export function feedProblem({ id, state, message }: FeedSight, answered: Answered, dueAt: number): string | null {
  const all = [...answered].filter(([path]) => path.startsWith(prefixes[id]));
  if (all.length === 0 || all.some(([, { at }]) => at > dueAt)) {
    return null;
  }
  const refused = all.find(([, { status }]) => status >= 400);
  const saysWell = state === 'ok' || state === 'empty';
  if (refused && saysWell) {
    return `${id} is said to be ${state}, and its publisher answered ${refused[0]} with ${refused[1].status}`;
  }
  return !refused && (state === 'stale' || state === 'failed' || state === 'unauthorised')
    ? `${id} is said to be ${state} (${message}), and its publisher answered every document last time`
    : null;
}
