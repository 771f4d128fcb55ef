// What a router did not show, as coverage says it: its reads say what they showed.
import type { Clock } from '#kernel/time/clock.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import type { CoverageState, Subject, UnseenState } from '../../record/coverage/span.ts';
import { getRouterName } from './public-router.ts';
import type { Registry } from './registry.ts';
import type { RouterStatuses } from './runtime.ts';
import { UnseenCounts } from './unseen/counts.ts';
import { percent } from './unseen/messages.ts';
import { needsEvents, unseenReport } from './unseen/report.ts';

const betweenReads = 'connections that begin and end between two reads, unless the router lists them for a while after';

export function routerSubject(record: RouterRecord): Subject {
  return { kind: 'router', key: record.id, name: getRouterName(record), cannotSee: [betweenReads] };
}

/** Reads that are missing; one alone may be late. */
const lateReads = 2;

interface Parts {
  registry: Pick<Registry, 'list'>;
  statuses: RouterStatuses;
  /** What the reads of a router say of the connections between them; null when it is not read. */
  findUnseenCounts: (id: string) => UnseenCounts | null;
  clock: Clock;
  /** When the hub began to read routers. */
  startedAt: number;
}

export function routerCoverage(
  { registry, statuses, findUnseenCounts, clock, startedAt }: Parts,
  intervalMs: number,
): CoverageState[] {
  return registry.list().map((record) => {
    const { lastSuccessAt, failure } = statuses.of(record);
    const isLate = clock.now() - (lastSuccessAt ?? startedAt) > lateReads * intervalMs;
    const gap = !record.enabled ? 'disabled' : isLate ? (failure ?? 'waiting') : null;
    const unseen = unseenState(findUnseenCounts(record.id) ?? new UnseenCounts(intervalMs));
    return { ...routerSubject(record), gap, seenUntil: null, part: null, togetherMs: 0, unseen };
  });
}

function unseenState(counts: UnseenCounts): UnseenState {
  return {
    needsEvents: needsEvents(counts),
    report(events) {
      const unseen = unseenReport(counts, events);
      return {
        unseen,
        cannotSee: [unseen.share === null ? betweenReads : `${betweenReads}: about ${percent(unseen.share)}`],
      };
    },
  };
}
