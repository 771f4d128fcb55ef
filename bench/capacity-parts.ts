// What a step of the capacity benchmark runs: routers over SSH, a hub that does not know them yet, Agents that deliver to it.
import { randomBytes } from 'node:crypto';
import { systemClock } from '#kernel/time/clock.ts';
import type { LatencyName } from '#simulators/router/latency.ts';
import { type Agents, startAgents } from '../test/soak/world/agents.ts';
import { eventually } from '../test/support/eventually.ts';
import { type HubProcess, startHubProcess } from '../test/support/hub-process.ts';
import { type Program, startProgram } from '../test/support/program.ts';
import { type RouterLine, type RouterProcessRecord, recordOfLine } from '../test/support/router-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';

export interface CapacityStep {
  routers: number;
  /** Of each router. */
  sessions: number;
  agents: number;
  latency: LatencyName;
}

export interface Parts extends AsyncDisposable {
  readonly hub: HubProcess;
  readonly routers: readonly LanRouter[];
  /** Null where the step has none. */
  readonly agents: Agents | null;
}

export interface LanRouter {
  program: Program;
  record: RouterProcessRecord;
}

/** As often as the Agent delivers unless it is told otherwise, with as many observations as a batch may hold. */
const pace = { rate: 4, observations: 200 };
/** Start-up work of the hub's process that would count as the first cycle's. */
const settleMs = 3000;

/** Resolves when every Agent has delivered and the work of the hub's start is over. */
export async function startParts(step: CapacityStep, pollIntervalMs: number): Promise<Parts> {
  await using stack = new AsyncDisposableStack();
  const routers = await Promise.all(
    Array.from({ length: step.routers }, (_, index) => startLanRouter(index + 1, step, stack)),
  );
  const folder = stack.use(temporaryFolder());
  const hub = stack.use(
    await startHubProcess({
      isMeasured: true,
      dataDir: folder.path,
      adminToken: randomBytes(24).toString('hex'),
      command: 'bin/gatehouse.js',
      env: { POLL_INTERVAL_MS: String(pollIntervalMs) },
    }),
  );
  const agents = step.agents === 0 ? null : await agentsAt(hub, step.agents, stack);
  await systemClock.sleep(settleMs);
  const whole = stack.move();
  return { hub, routers, agents, [Symbol.asyncDispose]: () => whole.disposeAsync() };
}

/** Odd ones are vendor_a, even ones vendor_b. */
async function startLanRouter(
  number: number,
  { sessions, latency }: CapacityStep,
  stack: AsyncDisposableStack,
): Promise<LanRouter> {
  const kind = number % 2 === 1 ? 'vendor_a' : 'vendor_b';
  const words = [kind, String(number), String(sessions), latency];
  const program = stack.use(startProgram(['bench/lan-router.ts', ...words]));
  const [text] = await program.printed(/^\{.*\}$/m);
  const record = recordOfLine(kind, JSON.parse(text) as RouterLine);
  return { program, record: { ...record, displayName: `router ${number}` } };
}

/** Resolves when every one of them has delivered. */
async function agentsAt(hub: HubProcess, count: number, stack: AsyncDisposableStack): Promise<Agents> {
  const agents = stack.use(await startAgents({ admin: hub.as.admin, url: hub.url }, 1, count, pace));
  const wanted = count * pace.observations;
  let seen = 0;
  await eventually(
    async () => {
      seen += deliveredBy(agents);
      return seen;
    },
    (all) => (all >= wanted ? true : undefined),
  );
  return agents;
}

/** Observations that were ACKed since the last call. */
export function deliveredBy(agents: Agents | null): number {
  return (agents?.acks(systemClock.now()) ?? []).reduce((sum, { accepted }) => sum + accepted, 0);
}
