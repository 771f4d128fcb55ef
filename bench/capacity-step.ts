// One step of the capacity benchmark: a hub on an empty log with its routers and Agents, and two cycles of polls.

import { messageOf } from '#kernel/errors.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startHealthProbe } from '../test/support/health-probe.ts';
import { cpuMs, type HubProcess, memoryMb } from '../test/support/hub-process.ts';
import { type CapacityStep, deliveredBy, type Parts, startParts } from './capacity-parts.ts';
import { startMeasuring } from './hub-figures.ts';

/**
 * One cycle: every router read and recorded once, all due at the same moment. There is no second one where the first does
 * not fit.
 */
export interface StepFigures extends CapacityStep {
  cycle: 'all new' | 'known';
  fits: 'yes' | 'no';
  /** From the moment a router is due to the moment what it shows is recorded, of the router that took longest. */
  wallMs: number;
  /** Of the hub's process, to the end of the cycle. */
  cpuMs: number;
  /** Of its event loop, and how long that was ready to run but had no core. */
  loopCpuMs: number;
  coreWaitMs: number;
  /** CPU time of the hub for each session read. */
  cpuUs: number;
  /** Of all simulators, on the same cores. */
  simulatorsCpuMs: number;
  healthP50Ms: number;
  healthP99Ms: number;
  /** Observations of Agents that were ACKed since the cycle before, or since all Agents had begun to deliver. */
  delivered: number;
  /** Memory of the hub: after the cycle, and the most in it. */
  rssMb: number;
  peakMb: number;
  /** Rows of the log. */
  flows: number;
}

export const intervalMs = 60_000;
const lookEveryMs = 250;
/** Answers are work of the hub too: a cycle that waits for others must not cost much more CPU than one that does not. */
const probeEveryMs = 50;
/** A cycle that is not over by then is given up: by then it is known not to fit. */
const giveUpMs = 2 * intervalMs;

export async function measureStep(step: CapacityStep, progress: (text: string) => void): Promise<StepFigures[]> {
  progress('starting');
  await using parts = await startParts(step, intervalMs);
  const { hub } = parts;
  try {
    return await twoCycles(step, parts, progress);
  } catch (cause) {
    throw new Error(`${messageOf(cause)}; the hub's log: ${hub.program.stderr() || 'empty'}`, { cause });
  }
}

async function twoCycles(step: CapacityStep, parts: Parts, progress: (text: string) => void): Promise<StepFigures[]> {
  const { hub, routers, agents } = parts;
  await using probe = startHealthProbe(hub.url, probeEveryMs);
  const simulators = [...routers.map(({ program }) => program.pid), ...(agents ? [agents.program.pid] : [])];
  const simulatorsCpu = () => simulators.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const measure = async (cycle: StepFigures['cycle'], due: Due, begin: () => Promise<void>): Promise<StepFigures> => {
    progress(cycle);
    const before = simulatorsCpu();
    const measured = await startMeasuring(hub, probe);
    await begin();
    const { wallMs, sessions, isWhole } = await untilAllRead(hub, routers.length, due);
    const { cpuMs: cpu, loopCpuMs, coreWaitMs, peakMb, healthP50Ms, healthP99Ms, probesFailed } = await measured();
    if (probesFailed > 0 || (isWhole && sessions < step.routers * step.sessions)) {
      throw new Error(`${probesFailed} questions to /healthz failed; ${sessions} sessions were read`);
    }
    const simulatorsCpuMs = simulatorsCpu() - before;
    const { total } = await hub.as.admin.connections.list({ query: { limit: '1' } });
    return {
      ...step,
      cycle,
      fits: isWhole && wallMs <= intervalMs ? 'yes' : 'no',
      wallMs,
      cpuMs: cpu,
      loopCpuMs,
      coreWaitMs,
      cpuUs: (cpu * 1000) / Math.max(1, sessions),
      simulatorsCpuMs,
      healthP50Ms,
      healthP99Ms,
      delivered: deliveredBy(agents),
      rssMb: Math.round(memoryMb(hub.program.pid).rss),
      peakMb,
      flows: total,
    };
  };
  const startedAt = systemClock.now();
  const first = await measure(
    'all new',
    () => startedAt,
    async () => {
      for (const { record } of routers) {
        await hub.as.admin.routers.create({ body: record });
      }
    },
  );
  if (first.fits === 'no') {
    return [first];
  }
  const due = await nextDue(hub);
  progress('waiting for the next cycle');
  await systemClock.sleep(Math.max(0, Math.min(...due.values()) - systemClock.now()));
  const second = await measure(
    'known',
    (id) => due.get(id) ?? startedAt,
    async () => undefined,
  );
  return [first, second];
}

/** When a router had to be read. */
type Due = (id: string) => number;

/** When each is to be read next. */
async function nextDue(hub: HubProcess): Promise<Map<string, number>> {
  const { routers } = await hub.as.admin.routers.list({});
  return new Map(routers.map(({ id, nextPollAt }) => [id, nextPollAt ?? 0]));
}

/**
 * Resolves when every router was read after it was due: how long the slowest took, and the rows of all. `isWhole` is false
 * when one took longer than the hub lets it, or all together longer than is waited here; `wallMs` is until then.
 */
async function untilAllRead(hub: HubProcess, count: number, due: Due) {
  const giveUpAt = systemClock.now() + giveUpMs;
  for (;;) {
    await systemClock.sleep(lookEveryMs);
    const { routers } = await hub.as.admin.routers.list({});
    const now = systemClock.now();
    const failed = routers.find(({ failure }) => failure !== null);
    if (failed && failed.failure !== 'timed_out') {
      throw new Error(`the poll of ${failed.displayName} failed: ${failed.lastError}`);
    }
    const read = routers.filter(({ id, lastSuccessAt }) => lastSuccessAt !== null && lastSuccessAt > due(id));
    const sessions = read.reduce((sum, { sessionCount }) => sum + sessionCount, 0);
    if (read.length === count) {
      const wallMs = Math.max(...read.map(({ id, lastSuccessAt }) => (lastSuccessAt ?? now) - due(id)));
      return { wallMs, sessions, isWhole: true };
    }
    if (failed || now > giveUpAt) {
      return { wallMs: now - Math.min(...routers.map(({ id }) => due(id))), sessions, isWhole: false };
    }
  }
}
