// Limits deliveries to 30 requests a minute for each Agent and four at once, and counts them. The hub decides before it
// reads a byte of the body (docs/reference/wire-contract/1-http-rules.md#14-rate-limits).
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { z } from 'zod';
import type { ingestMetrics } from '#contract/agents.ts';
import { limits } from '#contract/limits.ts';
import { refusedFor } from '#kernel/errors.ts';
import type { Guard } from '#kernel/http/bind-route.ts';
import { FixedWindowLimiter, Semaphore } from '#kernel/http/limiter.ts';
import { type Clock, hasPassed } from '#kernel/time/clock.ts';
import type { Principal } from '../../base/auth/principal.ts';
import type { StoredBatch } from './ingest.ts';

export interface Admission extends Disposable {
  guard: Guard<Principal>;
  /** Counts the result of an admitted delivery. */
  stored(batch: StoredBatch, durationMs: number): void;
  refused(): void;
  failed(): void;
  metrics(): z.output<typeof ingestMetrics>;
  readonly requestsPerMinute: number;
}

/** Interval between samples of the event loop. Each sample wakes the hub. */
const sampleMs = 50;

interface Options {
  clock: Clock;
  requestsPerMinute?: number | undefined;
  concurrent?: number | undefined;
}

export function createAdmission({ clock, ...options }: Options): Admission {
  const { requestsPerMinute = limits.agentRequestsPerMinute, concurrent = limits.agentIngestConcurrent } = options;
  const windows = new FixedWindowLimiter(clock, requestsPerMinute, limits.rateWindowMs);
  const slots = new Semaphore(concurrent);
  const delay = monitorEventLoopDelay({ resolution: sampleMs });
  delay.enable();
  const counters = { requests: 0, accepted: 0, duplicate: 0, rejected: 0, failures: 0, rateLimited: 0 };
  let inFlight = 0;
  let maxInFlight = 0;
  let lastDurationMs: number | null = null;

  return {
    guard({ principal, answered, cutOff }) {
      counters.requests += 1;
      const taken = windows.take(principal.who === 'agent' ? principal.agent.agentId : '');
      const release = taken.allowed ? slots.tryTake() : null;
      if (release === null) {
        counters.rateLimited += 1;
        throw taken.allowed
          ? refusedFor(
              'agent_ingest_busy',
              1000,
              (seconds) => `${concurrent} batches are being stored already: try again in ${seconds} s`,
            )
          : refusedFor(
              'agent_rate_limited',
              windows.remainingMs(taken),
              (seconds) =>
                `this Agent sent more than ${requestsPerMinute} batches in a minute: try again in ${seconds} s`,
            );
      }
      inFlight += 1;
      maxInFlight = Math.max(maxInFlight, inFlight);
      const arrival = new AbortController();
      void hasPassed(clock, limits.agentBodyMs, arrival.signal).then((isLate) => isLate && cutOff());
      answered(() => {
        arrival.abort();
        inFlight -= 1;
        release();
      });
    },
    stored({ accepted, duplicate, replayed }, durationMs) {
      counters.accepted += replayed ? 0 : accepted;
      counters.duplicate += replayed ? accepted + duplicate : duplicate;
      lastDurationMs = durationMs;
    },
    refused() {
      counters.rejected += 1;
    },
    failed() {
      counters.failures += 1;
    },
    metrics: () => ({
      ...counters,
      maxInFlight,
      inFlight,
      lastDurationMs,
      eventLoopDelayMs: toLoopDelays({ count: delay.count, max: delay.max, percentile: (of) => delay.percentile(of) }),
      limits: { requestsPerMinutePerAgent: requestsPerMinute, maxConcurrent: concurrent },
    }),
    requestsPerMinute,
    [Symbol.dispose]: () => void delay.disable(),
  };
}

/** Milliseconds by which a timer of the event loop fires late. What Node.js measures holds its interval as well. */
export function toLoopDelays({ count, max, percentile }: Measured) {
  const inMs = (ns: number) => Math.max(0, Math.round(ns / 10_000 - sampleMs * 100) / 100);
  return count === 0
    ? { p50: 0, p95: 0, max: 0 }
    : { p50: inMs(percentile(50)), p95: inMs(percentile(95)), max: inMs(max) };
}

/** Nanoseconds between two samples, as `perf_hooks` measures them. */
interface Measured {
  count: number;
  max: number;
  percentile(percent: number): number;
}
