// Whether /healthz answers in time: a bound, and on top of it what the machine took in the same seconds, as a bare server and
// the wait of the hub for a core show it.
import type { HealthSamples } from '../../support/health-probe.ts';

/** Time of a core. Ten times what the event loop is held for at most by anything measured (docs/performance.md). */
export const healthBoundMs = 500;

export interface HealthSight {
  hub: HealthSamples;
  /** The longest answer of a bare server in these seconds: what this machine takes for nothing. */
  bareMs: number;
  /** How long the main thread of the hub was ready to run and had no core. */
  coreWaitMs: number;
  /** Programs that want to run, for each core (load average); below 1 it counts as 1. */
  perCore: number;
}

export function healthProblem({ hub, bareMs, coreWaitMs, perCore }: HealthSight): string | null {
  const [failed] = hub.failed;
  if (failed !== undefined) {
    return `/healthz was not answered with 200 but with ${failed}`;
  }
  const longest = Math.max(0, ...hub.elapsedMs);
  const share = Math.max(1, perCore);
  const bound = healthBoundMs * share + 2 * bareMs + coreWaitMs;
  return longest <= bound
    ? null
    : `/healthz took ${longest.toFixed(0)} ms, over ${bound.toFixed(0)}: ${healthBoundMs} of a core that ${share.toFixed(1)} programs want, twice what a bare server took next to it (${bareMs.toFixed(0)}), and ${coreWaitMs.toFixed(0)} that the hub waited for a core`;
}
