// /healthz of the hub and a route of a bare server, asked ten times a second from threads of their own.
import { availableParallelism, loadavg } from 'node:os';
import { quantile, startHealthProbe } from '../../support/health-probe.ts';
import { healthProblem } from '../invariants/health.ts';
import type { World } from '../world/world.ts';
import type { Checks } from './checks.ts';

const everyMs = 100;

export interface HealthSummary {
  asked: number;
  hub: { p50: number; p99: number; longest: number };
  bare: { p50: number; p99: number; longest: number };
}

export interface HealthWatch extends AsyncDisposable {
  /** Takes the answers since the last look, and judges them when the hub owed all of them. */
  look(): Promise<void>;
  summary(): HealthSummary;
}

export function startHealthWatch({ hub, bareUrl }: World, checks: Checks): HealthWatch {
  const probes = {
    hub: startHealthProbe(new URL('/healthz', hub.url), everyMs),
    bare: startHealthProbe(bareUrl, everyMs),
  };
  const kept = { hub: [] as number[], bare: [] as number[] };
  let mayJudge = false;
  let since = 0;
  /** Of this look and the one before: a busy second touches both servers at different instants. */
  let bareBefore = 0;
  let waitedBefore = 0;
  return {
    async look() {
      const [ofHub, ofBare] = await Promise.all([probes.hub.take(), probes.bare.take()]);
      const isPresent = hub.absence() === null && hub.presentSince() === since;
      const bareMs = Math.max(0, ...ofBare.elapsedMs);
      const waited = hub.coreWaitMs();
      if (mayJudge && isPresent) {
        checks.check(
          'health',
          healthProblem({
            hub: ofHub,
            bareMs: Math.max(bareMs, bareBefore),
            coreWaitMs: waited - waitedBefore,
            perCore: (loadavg()[0] ?? 0) / availableParallelism(),
          }),
        );
        kept.hub.push(...ofHub.elapsedMs);
        kept.bare.push(...ofBare.elapsedMs);
      }
      // The first seconds of a life, and the first after a pause, are no measure.
      mayJudge = hub.absence() === null && Date.now() - hub.presentSince() > 3000;
      since = hub.presentSince();
      bareBefore = bareMs;
      waitedBefore = waited;
    },
    summary() {
      const of = (all: readonly number[]) => ({
        p50: quantile(all, 0.5),
        p99: quantile(all, 0.99),
        longest: all.reduce((most, each) => Math.max(most, each), 0),
      });
      return { asked: kept.hub.length, hub: of(kept.hub), bare: of(kept.bare) };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([probes.hub[Symbol.asyncDispose](), probes.bare[Symbol.asyncDispose]()]);
    },
  };
}
