// What is said of the connections that polling cannot see: from the counts of a router's reads, or the events of Agents.
import type { Unseen } from '#contract/coverage.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { EventCount } from '../../../record/coverage/span.ts';
import type { UnseenCounts } from './counts.ts';
import { enough, messages, suggestionMessage } from './messages.ts';
import { type Bound, boundMissedShare, type ServiceShare, shorterIntervals, suggest } from './suggestion.ts';
import { shortestPlainMs } from './timers.ts';

type Counts = Pick<UnseenCounts, 'by' | 'intervalMs' | 'countedMs' | 'reads' | 'takesMs'> & {
  services: Iterable<ServiceShare & { proto: string; dport: number | null }>;
};

const mostShown = 20;

/** Whether only the events of Agents can say it. */
export function needsEvents({ by, intervalMs }: Pick<Counts, 'by' | 'intervalMs'>): boolean {
  return by === 'none' && intervalMs > shortestPlainMs;
}

/** `events` of the last day; null where they were not needed. */
export function unseenReport(counts: Counts, events: readonly EventCount[] | null): Unseen {
  const { by, intervalMs } = counts;
  if (by === null) {
    return nothing(counts, messages.notRead());
  }
  if (by === 'none') {
    return needsEvents(counts) ? byEvents(counts, events ?? []) : byDelivered(counts);
  }
  const services = [...counts.services];
  const [seen, estimated] = sumServices(services);
  if (counts.reads < enough.reads || estimated < enough.connections) {
    return nothing(counts, messages.tooFew(Math.floor(counts.reads), Math.round(estimated)));
  }
  const share = (estimated - seen) / estimated;
  const shorter = shorterIntervals(intervalMs, counts.takesMs);
  const gapMs = counts.countedMs / counts.reads;
  const bounds = shorter.map((shorterMs) => ({
    intervalMs: shorterMs,
    share: boundMissedShare(services, gapMs, shorterMs),
  }));
  const suggestion = suggest(bounds, share);
  return {
    ...facts(counts, services),
    ...{ share: rounded(share), by, message: messages.share(share, intervalMs, shorter.length > 0, counts.takesMs) },
    suggestion: shown(suggestion),
  };
}

/** A table without times, read so often that no timer as delivered can run out between two reads. */
function byDelivered(counts: Counts): Unseen {
  const seen = [...counts.services].map((service) => ({ ...plain(service), estimated: service.seen }));
  const message = messages.byDelivered(counts.intervalMs);
  return { ...facts(counts, seen), share: 0, by: 'delivered_timers', message, suggestion: null };
}

function byEvents(counts: Counts, events: readonly EventCount[]): Unseen {
  const { intervalMs, takesMs } = counts;
  const services = events.map(({ proto, dport, events: all, missed }) => ({
    ...{ proto, dport, leastMs: shortestPlainMs, seen: all - missed, estimated: all },
  }));
  const [seen, estimated] = sumServices(services);
  const canBeShort = shorterIntervals(intervalMs, takesMs).includes(shortestPlainMs);
  const better: Bound | null = canBeShort ? { intervalMs: shortestPlainMs, share: 0 } : null;
  if (estimated < enough.connections) {
    return { ...nothing(counts, messages.noTimes(intervalMs, estimated)), suggestion: shown(better) };
  }
  const share = (estimated - seen) / estimated;
  return {
    ...facts({ ...counts, countedMs: dayMs }, services),
    ...{ share: rounded(share), by: 'agent_events', message: messages.byEvents(share, estimated) },
    suggestion: shown(suggest(better ? [better] : [], share)),
  };
}

function nothing({ intervalMs, countedMs, services }: Counts, message: string): Unseen {
  const [seen] = sumServices([...services]);
  return {
    ...{ share: null, message, by: null, intervalMs, countedMs: Math.round(countedMs) },
    ...{ seen: Math.round(seen), estimated: null, services: [], suggestion: null },
  };
}

type Named = ServiceShare & { proto: string; dport: number | null };

function facts({ intervalMs, countedMs }: Pick<Counts, 'intervalMs' | 'countedMs'>, services: readonly Named[]) {
  const [seen, estimated] = sumServices(services);
  const named = services
    .map(plain)
    .filter((one) => one.estimated > 0)
    .sort((one, other) => other.estimated - other.seen - (one.estimated - one.seen) || other.seen - one.seen);
  return {
    ...{ intervalMs, countedMs: Math.round(countedMs) },
    ...{ seen: Math.round(seen), estimated: Math.round(estimated) },
    services: named.slice(0, mostShown).map(({ proto, dport, seen: some, estimated: all }) => ({
      ...{ proto, dport, seen: Math.round(some), estimated: Math.round(all), share: rounded((all - some) / all) },
    })),
  };
}

/** A sum of estimates may be below what was seen, by chance. */
function plain({ proto, dport, leastMs, seen, estimated }: Named): Named {
  return { proto, dport, leastMs, seen, estimated: Math.max(seen, estimated) };
}

/** The estimates of services err to both sides: only their sum is held against what was seen. */
function sumServices(services: readonly ServiceShare[]): [seen: number, estimated: number] {
  let [seen, estimated] = [0, 0];
  for (const service of services) {
    seen += service.seen;
    estimated += service.estimated;
  }
  return [seen, Math.max(seen, estimated)];
}

function shown(bound: Bound | null): Unseen['suggestion'] {
  return bound && { ...bound, share: rounded(bound.share), message: suggestionMessage(bound) };
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
