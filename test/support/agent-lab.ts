// Simulated Agents with their bearers at a small hub that somebody else wrote down, on a clock that a test moves.
import { expect } from 'vitest';
import { type AgentOptions, type AgentSimulator, startAgent } from '#simulators/agent/agent.ts';
import { type AgentHub, startAgentHub } from './agent-hub.ts';
import { ManualClock } from './manual-clock.ts';

export interface AgentLab extends AsyncDisposable {
  clock: ManualClock;
  hub: AgentHub;
  agents: AgentSimulator;
  control: AgentSimulator['control'];
}

/** They deliver when asked, unless a rate is given; each is approved and has claimed its bearer. */
export async function startAgentLab(options: Partial<AgentOptions> = {}): Promise<AgentLab> {
  await using stack = new AsyncDisposableStack();
  const clock = new ManualClock();
  const hub = stack.use(await startAgentHub(clock.now));
  const codes = Array.from({ length: options.count ?? 1 }, hub.code);
  const agents = stack.use(await startAgent({ hub: hub.url, codes, rate: 0, claimEveryMs: 10, clock, ...options }));
  const { control } = agents;
  for (const { requestId } of control.agents) {
    hub.approve(requestId ?? '');
  }
  await expect.poll(() => control.agents.every(({ credential }) => credential === 'active')).toBe(true);
  const all = stack.move();
  return { clock, hub, agents, control, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
