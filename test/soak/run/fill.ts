// What the hub remembers up to a bound, filled early in each of its lives: at the pace of a home the 50,000 connections of
// Agents, the latest events and the latest reads of programs fill for hours, and what only fills is not told from what grows
// without end.
import type { World } from '../world/world.ts';

/**
 * 14,400 connections a minute of three Agents, for five minutes; an Agent may ask 30 times a minute. 65,536 and more, as the
 * table of a set of 50,000 doubles when so many have come and gone.
 */
const filling = { rate: 24, observations: 200 };
const fillMs = 300_000;
/** Each second: over 1,000 (`limits.auditReads`) in that time. */
const reads = 5;

/** To be called each second. */
export function createFill(
  { hub, agents, mcp }: Pick<World, 'hub' | 'agents' | 'mcp'>,
  now: () => number,
): () => Promise<void> {
  let life = 0;
  let until = 0;
  let isFilling = false;
  return async () => {
    if (life !== hub.life) {
      life = hub.life;
      until = now() + fillMs;
    }
    const isDue = now() < until;
    if (isDue !== isFilling) {
      await agents.control('PATCH', '/state', isDue ? filling : agents.pace);
      isFilling = isDue;
    }
    for (let read = 0; isDue && read < reads; read += 1) {
      await mcp.read();
    }
  };
}
