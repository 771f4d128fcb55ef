// Reports the connections that polling cannot see, from the counts of a router's reads or from the events of Agents.
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

/** Whether only the events of Agents can give an estimate. */
export function needsEvents({ by, intervalMs }: Pick<Counts, 'by' | 'intervalMs'>): boolean {
  return by === 'none' && intervalMs > shortestPlainMs;
}

/** `events` of the last day; null where they were not needed. */
export function reportUnseen(counts: Counts, events: readonly EventCount[] | null): Unseen {
  const { by, intervalMs } = counts;
  if (by === null) {
    return withoutEstimate(counts, messages.notRead());
  }
  if (by === 'none') {
    return needsEvents(counts) ? reportByEvents(counts, events ?? []) : reportByDelivered(counts);
  }
  const services = [...counts.services];
  const { seen, estimated } = sumServices(services);
  if (counts.reads < enough.reads || estimated < enough.connections) {
    return withoutEstimate(counts, messages.tooFew(Math.floor(counts.reads), Math.round(estimated)));
  }
  const share = (estimated - seen) / estimated;
  const shorter = shorterIntervals(intervalMs, counts.takesMs);
  const gapMs = counts.countedMs / counts.reads;
  const bounds = shorter.map((shorterMs) => ({
    intervalMs: shorterMs,
    share: boundMissedShare(services, gapMs, shorterMs),
  }));
  return {
    ...summarise(counts, services),
    share: round(share),
    by,
    message: messages.share(share, intervalMs, shorter.length > 0, counts.takesMs),
    suggestion: toSuggestion(suggest(bounds, share)),
  };
}

/** For a table without times that is read so often that no factory timer can expire between two reads. */
function reportByDelivered(counts: Counts): Unseen {
  const services = [...counts.services].map((service) => ({ ...toNamed(service), estimated: service.seen }));
  const message = messages.byDelivered(counts.intervalMs);
  return { ...summarise(counts, services), share: 0, by: 'delivered_timers', message, suggestion: null };
}

function reportByEvents(counts: Counts, events: readonly EventCount[]): Unseen {
  const { intervalMs, takesMs } = counts;
  const services = events.map(({ proto, dport, events: estimated, missed }) => {
    return { proto, dport, leastMs: shortestPlainMs, seen: estimated - missed, estimated };
  });
  const { seen, estimated } = sumServices(services);
  const canBeShort = shorterIntervals(intervalMs, takesMs).includes(shortestPlainMs);
  const better: Bound | null = canBeShort ? { intervalMs: shortestPlainMs, share: 0 } : null;
  if (estimated < enough.connections) {
    const message = messages.noTimes(intervalMs, estimated);
    return { ...withoutEstimate(counts, message), suggestion: toSuggestion(better) };
  }
  const share = (estimated - seen) / estimated;
  return {
    ...summarise({ intervalMs, countedMs: dayMs }, services),
    share: round(share),
    by: 'agent_events',
    message: messages.byEvents(share, estimated),
    suggestion: toSuggestion(suggest(better ? [better] : [], share)),
  };
}

function withoutEstimate({ intervalMs, countedMs, services }: Counts, message: string): Unseen {
  const seen = Math.round(sumServices([...services]).seen);
  const unknown = { share: null, by: null, estimated: null, services: [], suggestion: null };
  return { ...unknown, message, intervalMs, countedMs: Math.round(countedMs), seen };
}

type Named = ServiceShare & { proto: string; dport: number | null };

/** Copies the fields: a service of a router is a class instance. */
function toNamed({ proto, dport, leastMs, seen, estimated }: Named): Named {
  return { proto, dport, leastMs, seen, estimated };
}

/** The totals, and the services that miss most. By chance, a single estimate may be below the number seen. */
function summarise({ intervalMs, countedMs }: Pick<Counts, 'intervalMs' | 'countedMs'>, services: readonly Named[]) {
  const { seen, estimated } = sumServices(services);
  const ranked = services
    .map((one) => ({ ...toNamed(one), estimated: Math.max(one.seen, one.estimated) }))
    .filter((one) => one.estimated > 0)
    .sort((one, other) => other.estimated - other.seen - (one.estimated - one.seen) || other.seen - one.seen);
  return {
    intervalMs,
    countedMs: Math.round(countedMs),
    seen: Math.round(seen),
    estimated: Math.round(estimated),
    services: ranked.slice(0, mostShown).map((one) => ({
      proto: one.proto,
      dport: one.dport,
      seen: Math.round(one.seen),
      estimated: Math.round(one.estimated),
      share: round((one.estimated - one.seen) / one.estimated),
    })),
  };
}

/** Estimates of single services err to both sides, so only their sum is raised to the number seen. */
function sumServices(services: readonly ServiceShare[]): { seen: number; estimated: number } {
  const seen = services.reduce((sum, service) => sum + service.seen, 0);
  const estimated = services.reduce((sum, service) => sum + service.estimated, 0);
  return { seen, estimated: Math.max(seen, estimated) };
}

function toSuggestion(bound: Bound | null): Unseen['suggestion'] {
  return bound && { ...bound, share: round(bound.share), message: suggestionMessage(bound) };
}

/** Rounds to a hundredth of a percent. */
function round(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
