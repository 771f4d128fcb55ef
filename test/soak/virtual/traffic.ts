// The traffic of the home: flows that are put into the tables of the routers, and what each read of a table has shown.
import { isoTime } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { Entry } from '#simulators/support/simulator.ts';
import type { Chance } from '../chance.ts';
import type { Home, HomeRouter } from './home.ts';
import type { FlowKey } from './model.ts';
import { tickMs } from './plan.ts';

interface PutFlow {
  router: HomeRouter;
  flow: FlowKey;
  /** First and last packet, epoch milliseconds. */
  from: number;
  to: number;
}

/** What a read may not show whole, and whether the hub can store it. */
export type Showing = 'whole' | 'perhaps';

export interface Traffic {
  /** New flows behind this router, a few. */
  put(router: HomeRouter, chance: Chance): void;
  /** Its flows are gone, now. */
  forget(router: HomeRouter): void;
  /** Adds to the model what the routers have shown since the last call; `perhaps` where it is not known what was stored. */
  shown(showing: (router: HomeRouter) => Showing, since: number): void;
}

/** Where devices connect to: one address in a range of its own for each number. */
export const destinations: readonly string[] = Array.from({ length: 60 }, (_, index) =>
  index < 30 ? `203.0.113.${100 + index}` : `198.51.100.${100 + index}`,
);

export const flowKey = (src: string, dst: string, dport: number, proto: string): FlowKey =>
  `${src} ${dst} ${dport} ${proto}`;

const ports = [443, 443, 443, 80, 993, 8443] as const;

export function createTraffic({ lab: { clock }, routers, model }: Pick<Home, 'lab' | 'routers' | 'model'>): Traffic {
  let flows: PutFlow[] = [];
  const newest = new Map<HomeRouter, Entry | undefined>();
  /** What a read at `at` shows; what the hub may have of it is stored at `at` at the earliest. */
  const sight = (router: HomeRouter, at: number, isSure: boolean) => {
    for (const { flow, from } of flows.filter((one) => one.router === router && one.from < at && at <= one.to)) {
      model.sightings.push({ flow, from, at, storedAt: at, isSure });
    }
    model.reads.push({ router: router.id, at, isSure });
  };
  return {
    put(router, chance) {
      for (let left = chance.whole(0, 4); left > 0; left -= 1) {
        const [src, dst, dport] = [chance.pick(router.hosts), chance.pick(destinations), chance.pick(ports)];
        // It ends between two reads, and leaves the table before the next one.
        const lastsMs = chance.pick([1, 1, 1, 2, 2, 3, 6, 12]) * tickMs + 5 * minuteMs;
        const request = { src, dst, dport, proto: 'tcp', everyMs: 10_000, lastsMs, ends: 'fin' } as const;
        if (router.simulator.flow(request) === null) {
          throw new Error(`router ${router.id} takes no flow at ${isoTime(clock.now())}`);
        }
        const flow = flowKey(src, dst, dport, 'TCP');
        flows.push({ router, flow, from: clock.now(), to: clock.now() + lastsMs });
      }
    },
    forget(router) {
      flows = flows.filter((one) => one.router !== router);
    },
    shown(showing, since) {
      for (const router of routers) {
        const isWhole = showing(router) === 'whole';
        if (!isWhole) {
          sight(router, since, false);
          sight(router, clock.now(), false);
        }
        for (const { at } of newTables(router, newest)) {
          sight(router, at, isWhole);
        }
      }
      model.reads.sort((one, other) => one.at - other.at);
      flows = flows.filter(({ to }) => to + tickMs > clock.now());
    },
  };
}

/** The whole tables that a router has shown since the last call. */
function newTables(router: HomeRouter, newest: Map<HomeRouter, Entry | undefined>): Entry[] {
  const journal = router.simulator.journal();
  const last = newest.get(router);
  newest.set(router, journal.at(-1) ?? last);
  const found: Entry[] = [];
  for (let index = journal.length - 1; index >= 0 && journal[index] !== last; index -= 1) {
    const entry = journal[index] as Entry;
    if (entry.kind === 'command' && /^show (ip nat translations|nat descriptor address)/.test(String(entry.line))) {
      found.unshift(entry);
    }
  }
  return found;
}
