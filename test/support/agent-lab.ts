// Simulated Agents with their bearers at a small hub that somebody else wrote down, on a clock that a test moves.
import { expect } from 'vitest';
import type { AgentSimulator } from '#simulators/agent/agent.ts';
import { type AgentsOptions, startAgents } from '#simulators/agent/start.ts';
import { type AgentHub, startAgentHub } from './agent-hub.ts';
import { ManualClock } from './manual-clock.ts';

export interface AgentLab extends AsyncDisposable {
  clock: ManualClock;
  hub: AgentHub;
  agents: AgentSimulator;
}

/** They deliver when asked, unless a rate is given; each is approved and has claimed its bearer. */
export async function startAgentLab(options: Partial<AgentsOptions> = {}): Promise<AgentLab> {
  await using stack = new AsyncDisposableStack();
  const clock = new ManualClock();
  const hub = stack.use(await startAgentHub(clock.now));
  const codes = Array.from({ length: options.count ?? 1 }, hub.code);
  const agents = stack.use(await startAgents({ hub: hub.url, codes, rate: 0, claimEveryMs: 10, clock, ...options }));
  for (const { requestId } of agents.agents) {
    hub.approve(requestId ?? '');
  }
  await expect.poll(() => agents.agents.every(({ credential }) => credential === 'active')).toBe(true);
  const all = stack.move();
  return { clock, hub, agents, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
