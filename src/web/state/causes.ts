// Detections by their cause: what a device has to do with one destination is one thing to look at.
import type { Reply } from '../api/client.ts';

export type Detection = Reply<'GET /api/notification-log'>['logs'][number];

export interface Cause {
  key: string;
  /** The newest of the most serious kind: it gives the title. */
  lead: Detection;
  /** Newest first. */
  all: readonly Detection[];
  /** A list is sure of the destination. */
  isDanger: boolean;
}

/** The most serious first; a kind that is not known here is more than a new device. */
const kinds: readonly string[] = ['threat', 'retro_match', 'beacon', 'other', 'new_device'];

/** `detections` newest first, and so are the causes. */
export function groupByCause(detections: readonly Detection[]): Cause[] {
  const causes = Map.groupBy(detections, ({ type, src, srcMac, dst }) =>
    dst === null ? `${type} ${srcMac ?? src}` : `${src} ${dst}`,
  );
  return [...causes].flatMap(([key, all]) => {
    const lead = all.toSorted((one, another) => rank(one) - rank(another))[0];
    const isDanger = all.some(({ threatConfidence }) => threatConfidence === 'high');
    return lead ? [{ key, lead, all, isDanger }] : [];
  });
}

function rank({ type }: Detection): number {
  const found = kinds.indexOf(type);
  return found === -1 ? kinds.indexOf('other') : found;
}
