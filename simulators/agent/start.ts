// Starts Agents for a test: with random batches, with a script, or with what those of a period saw.
import { systemClock } from '#kernel/time/clock.ts';
import { planPeriodAgents } from '../period/agents.ts';
import { type AgentOptions, type AgentSimulator, startAgent } from './agent.ts';

export interface AgentsOptions extends Omit<AgentOptions, 'holdClock'> {
  /** Path of a file that `gatehouse replay export` wrote: its Agents deliver what they saw then, with the same gaps, from now on. */
  period?: string;
}

/**
 * Starts Agents, which are clients of the hub at `options.hub`; resolves when the hub has answered those with a code.
 * Rejects for a hub beyond loopback without `allowNonLoopback`.
 */
export async function startAgents({ period, ...options }: AgentsOptions): Promise<AgentSimulator> {
  const planned = period === undefined ? null : planPeriodAgents(period);
  const played = planned?.plan((options.clock ?? systemClock).now());
  return startAgent({ ...(planned && { count: planned.count }), ...played, ...options });
}
