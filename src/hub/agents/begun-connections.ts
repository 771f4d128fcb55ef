// Which connections of Agents have begun: a long one comes in parts, and only the first is a start.
import type { StoredObservation } from './stored-observation.ts';

/** Connections that are remembered; the oldest are forgotten, and a later part of these counts as a start. */
const mostConnections = 50_000;

export interface BegunConnections {
  /** Whether an earlier observation of this Agent showed the same connection. Remembers it. */
  isPart(agent: number, row: Pick<StoredObservation, 'proto' | 'src' | 'sport' | 'dst' | 'dport' | 'firstAt'>): boolean;
}

export function createBegunConnections(most = mostConnections): BegunConnections {
  const begun = new Set<string>();
  return {
    isPart(agent, { proto, src, sport, dst, dport, firstAt }) {
      const key = `${agent} ${proto} ${src} ${sport} ${dst} ${dport} ${firstAt}`;
      const isKnown = begun.delete(key);
      begun.add(key);
      const [oldest] = begun;
      if (begun.size > most && oldest !== undefined) {
        begun.delete(oldest);
      }
      return isKnown;
    },
  };
}
