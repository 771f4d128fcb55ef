// Which connections of Agents have begun: a long one comes in parts, and only the first is a start.
import { shortDigest } from '#kernel/text/digest.ts';
import type { StoredObservation } from './stored-observation.ts';

/** Connections that are remembered; the oldest are forgotten, and a later part of these counts as a start. */
const mostConnections = 50_000;

type Row = Pick<StoredObservation, 'proto' | 'src' | 'sport' | 'dst' | 'dport' | 'firstAt'>;

/** A key that all parts of a connection share; short, because many are remembered. */
export function connectionKey(agent: number, { proto, src, sport, dst, dport, firstAt }: Row): string {
  return shortDigest(`${agent} ${proto} ${src} ${sport} ${dst} ${dport} ${firstAt}`);
}

export function createBegunConnections(most = mostConnections) {
  const begun = new Set<string>();
  return {
    /** Whether an earlier observation of this Agent showed the same connection, as of the last `remember`. */
    isKnown: (key: string) => begun.has(key),
    /** Call this once the observations are recorded. */
    remember(keys: Iterable<string>) {
      for (const key of keys) {
        begun.delete(key);
        begun.add(key);
        if (begun.size > most) {
          const [oldest] = begun;
          begun.delete(oldest as string);
        }
      }
    },
  };
}
