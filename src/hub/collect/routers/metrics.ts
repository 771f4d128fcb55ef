// Routers in /metrics: states, polls by their outcome, and the rows of the last table that was read.
import { createCounter, createGauge, type MetricFamily, toStateSamples, toTimeSample } from '../../base/metrics.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import { getRouterName } from './public-router.ts';
import { type RouterStatuses, routerStates } from './runtime.ts';

const outcomes = ['complete', 'partial', 'failed'] as const;

/** `partial`: the read succeeded, but the table was not read to its end. */
export type PollOutcome = (typeof outcomes)[number];

/** Counts the polls of each router since the hub started. An edit of the router does not reset them. */
export class PollCounts {
  #counts = new Map<string, Record<PollOutcome, number>>();

  add(id: string, outcome: PollOutcome): void {
    const counts = this.of(id);
    this.#counts.set(id, { ...counts, [outcome]: counts[outcome] + 1 });
  }

  of(id: string): Readonly<Record<PollOutcome, number>> {
    return this.#counts.get(id) ?? { complete: 0, partial: 0, failed: 0 };
  }
}

export function describeRouters(
  records: readonly RouterRecord[],
  statuses: RouterStatuses,
  polls: PollCounts,
): MetricFamily[] {
  const routers = records.map((record) => {
    return { id: record.id, labels: { router: record.id, name: getRouterName(record) }, status: statuses.of(record) };
  });
  return [
    createGauge(
      'gatehouse_router_state',
      'Whether the router is in this state.',
      routers.flatMap(({ labels, status }) => toStateSamples(labels, routerStates, status.state)),
    ),
    createCounter(
      'gatehouse_router_polls_total',
      'Polls since the hub started: complete, partial (the table was not read to its end) or failed.',
      routers.flatMap(({ id, labels }) =>
        outcomes.map((outcome) => ({ labels: { ...labels, outcome }, value: polls.of(id)[outcome] })),
      ),
    ),
    createGauge(
      'gatehouse_router_last_success_timestamp_seconds',
      'When the router was last read. Absent until the first read after a start or an edit.',
      routers.flatMap(({ labels, status }) => toTimeSample(labels, status.lastSuccessAt)),
    ),
    createGauge(
      'gatehouse_router_rows',
      'Rows of the last table: read, unparsed (damaged) or unsupported (of a form that is not read).',
      routers.flatMap(({ labels, status: { sessionCount, unparsed, unsupported } }) => [
        { labels: { ...labels, kind: 'read' }, value: sessionCount },
        { labels: { ...labels, kind: 'unparsed' }, value: unparsed.count },
        { labels: { ...labels, kind: 'unsupported' }, value: unsupported.count },
      ]),
    ),
  ];
}
