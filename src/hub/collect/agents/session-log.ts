// The sessions that routers saw from machines with an Agent, one by one: what its observations are compared with. The
// log of connections has flows, which bring the sessions of one program together.

import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { Observation } from '../../record/connections/store/observation.ts';

export type SessionLog = ReturnType<typeof createSessionLog>;

/** After this time without the session, the same ports belong to a new session. */
const sameSessionMs = hourMs;
const stepRows = 512;

/** Starts with the addresses of Agents in the database. */
export function createSessionLog(db: Pick<Reader, 'prepare'>) {
  const known = new Set(db.prepare('SELECT DISTINCT address FROM agent_address').pluck().all() as string[]);
  return {
    /** Stores those of `observations` whose source has an Agent. */
    *writeSessions(
      writer: Writer,
      { routerId, observations }: { routerId: string; observations: Iterable<Observation> },
    ) {
      if (known.size === 0) {
        return;
      }
      const observer = writer.prepare('SELECT id FROM observer WHERE router_id = ?').pluck().get(routerId) as number;
      const extend = writer.prepare(
        `UPDATE OR IGNORE router_session SET last_seen = max(last_seen, @at), first_seen = min(first_seen, @startedAt)
         WHERE (src, dst, dport, proto, sport, observer) = (+@src, +@dst, +@dport, +@proto, +@sport, +@observer)
           AND first_seen = (SELECT MAX(first_seen) FROM router_session
             WHERE (src, dst, dport, proto, sport, observer) = (+@src, +@dst, +@dport, +@proto, +@sport, +@observer))
           AND last_seen >= @startedAt - ${sameSessionMs}`,
      );
      const insert = writer.prepare(
        `INSERT OR IGNORE INTO router_session (observer, src, sport, dst, dport, proto, first_seen, last_seen)
         VALUES (@observer, @src, @sport, @dst, @dport, @proto, @startedAt, @at)`,
      );
      let rows = 0;
      for (const { src, sport, dst, dport, proto, startedAt, at } of observations) {
        if (known.has(src)) {
          const session = { observer, src, sport: sport ?? 0, dst, dport, proto, startedAt, at };
          if (extend.run(session).changes === 0) {
            insert.run(session);
          }
        }
        rows += 1;
        if (rows % stepRows === 0) {
          yield;
        }
      }
    },
    /** Addresses whose sessions are stored from now on. */
    noteAddresses(addresses: Iterable<string>) {
      for (const address of addresses) {
        known.add(address);
      }
    },
  };
}
