// Remembers connections that Agents reported: a long one comes in parts, and only the first part is a new session.
import { shortDigest } from '#kernel/text/digest.ts';
import type { StoredObservation } from './stored-observation.ts';

/** The oldest connections beyond this are forgotten; a later part of one then counts as new. */
const mostConnections = 50_000;

type Row = Pick<StoredObservation, 'proto' | 'src' | 'sport' | 'dst' | 'dport' | 'firstAt'>;

/** A key that all parts of a connection share; short, because many are remembered. */
export function connectionKey(agent: number, { proto, src, sport, dst, dport, firstAt }: Row): string {
  return shortDigest(`${agent} ${proto} ${src} ${sport} ${dst} ${dport} ${firstAt}`);
}

export function createBegunConnections(most = mostConnections) {
  const begun = new Set<string>();
  return {
    isKnown: (key: string) => begun.has(key),
    /** The caller does this after it has stored the observations: a failed write must not lose a start. */
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
