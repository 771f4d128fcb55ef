// A random month as the log comes to know it: poll by poll, then what is known of its addresses.
import type { FactProvider } from '#hub/record/connections/store/facts.ts';
import { rejudgeFlows } from '#hub/record/connections/upkeep/rejudge.ts';
import type { ConnectionLog } from './connection-log.ts';
import { type Sighting, verdictOf, type World } from './connection-oracle.ts';

/** Each poll is recorded at the time of its first sighting, as its router saw it. */
export async function recordWorld(
  log: ConnectionLog,
  { routers, sources, destinations }: World,
  polls: readonly (readonly Sighting[])[],
  factProvider?: FactProvider,
): Promise<void> {
  for (const poll of polls) {
    const [{ router, at } = { router: '', at: 0 }] = poll;
    const observations = poll.map(({ router: _, ...observation }) => observation);
    const kind = routers.get(router) ?? 'vendor_a';
    await log.record(observations, { routerId: router, kind, now: at, ...(factProvider && { factProvider }) });
  }
  for (const [address, columns] of sources) {
    await log.describe('source', address, { ...columns });
  }
  for (const [address, columns] of destinations) {
    await log.describe('destination', address, { ...columns });
  }
}

/** Judges the log by the lists of the world. */
export function judgeWorld({ db }: ConnectionLog, world: World) {
  const judge = ({ dst, dport }: { dst: string; dport: number }) => verdictOf(world, dst, dport);
  return rejudgeFlows(db, { judge, destinations: world.listings.keys() });
}
