// What a hub takes from one instant to another: CPU of the process and of its event loop, memory, and how /healthz answers.
import { writeFileSync } from 'node:fs';
import { systemClock } from '#kernel/time/clock.ts';
import { type HealthProbe, quantile } from '../test/support/health-probe.ts';
import { cpuMs, type HubProcess, mainThreadMs, memoryMb } from '../test/support/hub-process.ts';

/** CPU time is the hub process's, user and system, answers to the probe included. */
export interface HubFigures {
  cpuMs: number;
  wallMs: number;
  /** Of `cpuMs`: the thread of the event loop. */
  loopCpuMs: number;
  /** Time the hub's event loop was ready to run but had no core: what others on the machine cost the figures below. */
  coreWaitMs: number;
  peakMb: number;
  healthP50Ms: number;
  healthP99Ms: number;
  healthMaxMs: number;
  probes: number;
  probesFailed: number;
}

/** Measures from now on; what it returns resolves to the figures until then. The probe's answers of before are dropped. */
export async function startMeasuring({ program }: HubProcess, probe: HealthProbe): Promise<() => Promise<HubFigures>> {
  await probe.take();
  // 5 makes the kernel forget the peak of memory so far.
  writeFileSync(`/proc/${program.pid}/clear_refs`, '5');
  const cpuBefore = cpuMs(program.pid);
  const loopBefore = mainThreadMs(program.pid);
  const startedAt = systemClock.now();
  return async () => {
    const wallMs = systemClock.now() - startedAt;
    const cpu = cpuMs(program.pid) - cpuBefore;
    const loop = mainThreadMs(program.pid);
    const { elapsedMs, failed } = await probe.take();
    return {
      cpuMs: cpu,
      wallMs,
      loopCpuMs: Math.round(loop.ran - loopBefore.ran),
      coreWaitMs: Math.round(loop.waited - loopBefore.waited),
      peakMb: Math.round(memoryMb(program.pid).peak),
      healthP50Ms: quantile(elapsedMs, 0.5),
      healthP99Ms: quantile(elapsedMs, 0.99),
      healthMaxMs: Math.max(...elapsedMs),
      probes: elapsedMs.length,
      probesFailed: failed.length,
    };
  };
}
