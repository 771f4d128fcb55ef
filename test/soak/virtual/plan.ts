// What happens in a run of one seed, and when it begins: drawn before it happens, so that a seed is one story.

import { UsageError } from '#kernel/process/program.ts';
import { utcTime } from '#kernel/time/clock.ts';
import { dayMs, hourMs } from '#kernel/time/time.ts';
import { type Chance, createNamedChance, pickWeighted } from '../chance.ts';

/** Virtual time between two steps of the world; each router is read once in it. */
export const tickMs = hourMs / 2;
/** The time zone of the home: its clocks change in both halves of the year. */
export const homeZone = 'Europe/Berlin';

/** What a run goes through in one step. `ticks`: how long it lasts. */
export type Incident =
  | { what: 'router-away'; router: number; how: RouterFaultName; ticks: number }
  | { what: 'router-reboots'; router: number }
  | { what: 'feeds-away'; how: FeedFaultName; ticks: number }
  | { what: 'chat-away'; how: ChatFaultName; ticks: number }
  | { what: 'agent-away'; ticks: number }
  | { what: 'restart' }
  | { what: 'hub-away'; ticks: number }
  | { what: 'restore'; choice: number }
  | { what: 'rows-refused' }
  | { what: 'settings-refused' }
  | { what: 'backups-away'; ticks: number }
  | { what: 'clock-jumps'; hours: number }
  | { what: 'newly-listed'; choice: number };

type RouterFaultName = 'closed-early' | 'not-ssh' | 'sessions-full' | 'truncated';
type FeedFaultName = 'error-500' | 'too-many' | 'html' | 'empty' | 'redirect' | 'half';
type ChatFaultName = 'server-error' | 'rate-limited' | 'cut-connection' | 'html-answer';

/** Whole days of a span such as `30d`, 1 to 90. Throws a UsageError for anything else. */
export function parseDays(span: string): number {
  const [, number = ''] = /^(\d{1,2})d$/.exec(span) ?? [];
  const days = Number(number);
  if (days < 1 || days > 90) {
    throw new UsageError(`--virtual must be 1d to 90d, not ${span}`);
  }
  return days;
}

/**
 * Where a run begins, epoch milliseconds: the clocks of Berlin change in its middle (2026-03-29 with an odd seed,
 * 2026-10-25 with an even one). Ten minutes past the hour, so that what a read sees is of the hour of the read.
 */
export function findBegin(seed: number, days: number): number {
  const change = seed % 2 === 1 ? utcTime(2026, 3, 29) : utcTime(2026, 10, 25);
  return change - Math.floor(days / 2) * dayMs + hourMs / 6;
}

const routerFaults: readonly RouterFaultName[] = ['closed-early', 'not-ssh', 'sessions-full', 'truncated'];
const feedFaults: readonly FeedFaultName[] = ['error-500', 'too-many', 'html', 'empty', 'redirect', 'half'];
const chatFaults: readonly ChatFaultName[] = ['server-error', 'rate-limited', 'cut-connection', 'html-answer'];

/** How often each comes, against the others, and how it is drawn. */
const kinds: readonly { weight: number; draw(chance: Chance): Incident }[] = [
  {
    weight: 5,
    draw: (c) => ({ what: 'router-away', router: c.whole(0, 1), how: c.pick(routerFaults), ticks: c.whole(1, 8) }),
  },
  { weight: 2, draw: (c) => ({ what: 'router-reboots', router: c.whole(0, 1) }) },
  { weight: 4, draw: (c) => ({ what: 'feeds-away', how: c.pick(feedFaults), ticks: c.whole(2, 30) }) },
  { weight: 3, draw: (c) => ({ what: 'chat-away', how: c.pick(chatFaults), ticks: c.whole(1, 20) }) },
  { weight: 3, draw: (c) => ({ what: 'agent-away', ticks: c.whole(4, 60) }) },
  { weight: 4, draw: () => ({ what: 'restart' }) },
  { weight: 2, draw: (c) => ({ what: 'hub-away', ticks: c.whole(1, 10) }) },
  { weight: 2, draw: (c) => ({ what: 'restore', choice: c.whole(0, 1_000_000) }) },
  { weight: 3, draw: () => ({ what: 'rows-refused' }) },
  { weight: 2, draw: () => ({ what: 'settings-refused' }) },
  { weight: 2, draw: (c) => ({ what: 'backups-away', ticks: c.whole(2, 60) }) },
  { weight: 2, draw: (c) => ({ what: 'clock-jumps', hours: c.whole(1, 4) }) },
  { weight: 4, draw: (c) => ({ what: 'newly-listed', choice: c.whole(0, 1_000_000) }) },
];
/** Incidents of the step with this number: about six a day. The first hours are calm. */
export function drawIncidents(seed: number, tick: number): Incident[] {
  const chance = createNamedChance(seed, `incident ${tick}`);
  const kind = tick > 4 && chance.happens(0.13) ? pickWeighted(kinds, chance.next()) : null;
  return kind ? [kind.draw(chance)] : [];
}
