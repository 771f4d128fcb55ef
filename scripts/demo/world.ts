// The simulated world of the demo: the shipped scenario of that name, and where its simulators are.
import path from 'node:path';
import { z } from 'zod';
import { messageOf } from '#kernel/errors.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { AgentControl } from '#simulators/agent/control.ts';
import { createPacedClock } from '#simulators/scenario/clock.ts';
import { readScenario } from '#simulators/scenario/read.ts';
import { startScenario } from '#simulators/scenario/run.ts';
import type { Control } from '#simulators/support/simulator.ts';

const file = path.join(import.meta.dirname, '../../simulators/scenarios/demo.yaml');

const url = z.url();
const login = z.object({ url, user: z.string(), password: z.string() });

/** What the demo needs of the line of each simulator. */
const lines = z.object({
  'vendor-a': login.extend({ natDescriptor: z.int() }),
  'vendor-b': login.extend({ enablePassword: z.string().nullable() }),
  issuer: z.object({ url, user: z.string(), clientId: z.string(), clientSecret: z.string() }),
  ups: login,
  broker: z.object({ url, tlsUrl: url }),
  trapper: z.object({ url }),
  feeds: z.object({ url, authKey: z.string() }),
  chat: z.object({ url, token: z.string(), userId: z.string() }),
  ai: z.object({
    local: url,
    cloud_a: url,
    cloud_b: url,
    cloud_c_runtime: url,
    cloud_c_control: url,
    keys: z.object({
      cloud_a: z.string(),
      cloud_b: z.string(),
      accessKeyId: z.string(),
      secretAccessKey: z.string(),
    }),
  }),
  mesh: login,
});
export type WorldLines = z.output<typeof lines>;

export interface World extends AsyncDisposable {
  /** Of the routers, among others: what the household does by the clock follows from it. */
  readonly seed: number;
  readonly lines: WorldLines;
  readonly issuer: Control<string>;
  readonly agent: AgentControl;
}

/** Starts the simulators and their timeline. */
export async function startWorld(options: { hub: URL; freePorts: boolean }): Promise<World> {
  const read = readScenario(file, options);
  const clock = createPacedClock(systemClock.now(), 1);
  const running = await startScenario({ read, clock, host: '127.0.0.1', onEntry: () => undefined });
  const { simulators } = running;
  // The clock of the scenario stood still while they started.
  for (const simulator of simulators.values()) {
    simulator.clock.advance(systemClock.now() - clock.now());
  }
  running.play().catch((error: unknown) => console.error(`demo: ${messageOf(error)}`));
  const find = (name: string) => simulators.get(name)?.control as unknown;
  return {
    seed: read.seed,
    lines: lines.parse(Object.fromEntries([...simulators].map(([name, { line }]) => [name, line]))),
    issuer: find('issuer') as Control<string>,
    agent: find('agent') as AgentControl,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
