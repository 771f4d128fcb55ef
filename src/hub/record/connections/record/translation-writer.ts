// Writes what a table says of translation: the addresses of its router, and the flows that are flows of another router.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { FlowKey, Translated } from '../store/flow-link.ts';

const stepRows = 128;
/** No router has more addresses: further ones come from damaged lines. */
const maxAddresses = 64;

/** Runs after the flows of the table, in their transaction. A row that has not changed is written once an hour. */
export function* writeTranslated(writer: Writer, { routerId, addresses, links, at }: Translated): WriteSteps<void> {
  const findObserver = createObserverFinder(writer);
  const findFlow = createFlowFinder(writer);
  const address = writer.prepare(
    `INSERT INTO router_address (observer, address, first_seen, last_seen) VALUES (?, ?, ?, ?)
     ON CONFLICT (observer, address) DO UPDATE SET last_seen = excluded.last_seen
     WHERE excluded.last_seen >= last_seen + ${hourMs}`,
  );
  for (const one of addresses.slice(0, maxAddresses)) {
    address.run(findObserver(routerId), one, at, at);
  }
  const link = writer.prepare(
    `INSERT INTO flow_link (inner_flow, inner_observer, outer_flow, outer_observer, seen_at, sport, port, beyond_address,
       beyond_port)
     VALUES (@innerFlow, @innerObserver, @outerFlow, @outerObserver, @at, @sport, @port, @beyondAddress, @beyondPort)
     ON CONFLICT (inner_flow, inner_observer, outer_observer) DO UPDATE SET outer_flow = excluded.outer_flow,
       seen_at = excluded.seen_at, sport = excluded.sport, port = excluded.port,
       beyond_address = excluded.beyond_address, beyond_port = excluded.beyond_port
     WHERE outer_flow <> excluded.outer_flow OR excluded.seen_at >= seen_at + ${hourMs}`,
  );
  for (const [index, { inner, innerRouter, outer, outerRouter, ...session }] of links.entries()) {
    const ends = {
      innerFlow: findFlow(inner),
      innerObserver: findObserver(innerRouter),
      outerFlow: findFlow(outer),
      outerObserver: findObserver(outerRouter),
    };
    // What the other router showed may not have been stored.
    if (!Object.values(ends).includes(undefined)) {
      link.run({ ...ends, ...session, at });
    }
    if (index % stepRows === stepRows - 1) {
      yield;
    }
  }
}

function createObserverFinder(writer: Writer): (routerId: string) => number | undefined {
  const find = writer.prepare('SELECT id FROM observer WHERE router_id = ?').pluck();
  return (routerId) => find.get(routerId) as number | undefined;
}

function createFlowFinder(writer: Writer): (key: FlowKey) => number | undefined {
  const find = writer
    .prepare(
      `SELECT id FROM flow WHERE source_id = (SELECT id FROM source WHERE address = ?)
         AND destination_id = (SELECT id FROM destination WHERE address = ?) AND dport = ? AND proto = ?`,
    )
    .pluck();
  return ({ src, dst, dport, proto }) => find.get(src, dst, dport, proto) as number | undefined;
}
