// /metrics: what every feature already knows, written for Prometheus at each scrape.
import { Readable } from 'node:stream';
import { bodyStream } from '#kernel/http/ready-body.ts';
import type { Base, Feature, RouteHandlers } from '../../base/feature.ts';
import { createCounter, createGauge, type MetricFamily } from '../../base/metrics.ts';
import { findNotReadyReason } from '../health.ts';
import { startEventLoopMetrics } from './event-loop.ts';
import { acceptsOpenMetrics, formatMetrics } from './exposition.ts';

/** `features` is called at each scrape. */
export function startMetricsFeature(
  { clock, log, options }: Base,
  features: () => readonly Feature[],
): Feature<{ status: RouteHandlers<'status', 'metrics'> }> {
  const startedAt = clock.now();
  const eventLoop = startEventLoopMetrics();
  return {
    handlers: {
      status: {
        async metrics({ request, signal }) {
          const parts = await Promise.allSettled(features().map(async (feature) => feature.metrics?.(signal) ?? []));
          signal.throwIfAborted();
          const failed = parts.filter((part) => part.status === 'rejected');
          for (const { reason } of failed) {
            log.warn({ err: reason }, 'a part of /metrics could not be read: it is missing in this answer');
          }
          const families = [
            ...parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : [])),
            createGauge(
              'gatehouse_scrape_parts_failed',
              'Parts that are missing in this answer because they could not be read.',
              failed.length,
            ),
          ];
          const { type, text } = await formatMetrics(families, acceptsOpenMetrics(request.headers.accept ?? ''));
          return bodyStream({ type, headers: { Vary: 'Accept' }, body: Readable.from([text]) });
        },
      },
    },
    metrics: async () => [
      ...describeHub(options, startedAt),
      createGauge(
        'gatehouse_ready',
        'Whether /readyz answers 200.',
        (await findNotReadyReason(features())) === null ? 1 : 0,
      ),
      ...eventLoop.read(),
      ...describeProcess(),
    ],
    async [Symbol.asyncDispose]() {
      eventLoop[Symbol.dispose]();
    },
  };
}

function describeHub({ version, commit }: Base['options'], startedAt: number): MetricFamily[] {
  return [
    createGauge('gatehouse_build_info', 'Always 1; the labels say which program runs.', [
      { labels: { version, commit: commit ?? '' }, value: 1 },
    ]),
    createGauge(
      'gatehouse_started_timestamp_seconds',
      'When the hub started, or a restore replaced its database.',
      startedAt / 1000,
    ),
  ];
}

function describeProcess(): MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    createGauge('process_resident_memory_bytes', 'Memory of the process, threads included.', process.memoryUsage.rss()),
    createCounter(
      'process_cpu_seconds_total',
      'Processor time of the process, threads included.',
      (user + system) / 1e6,
    ),
  ];
}
