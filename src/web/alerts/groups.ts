// Detections by their cause: what a device has to do with one destination is one thing to look at.
import type { Detection } from '../state/attention.ts';

export interface Group {
  key: string;
  /** The newest of the most serious kind: it gives the group its title. */
  lead: Detection;
  /** Newest first. */
  all: readonly Detection[];
  /** A list is sure of the destination. */
  isDanger: boolean;
}

/** The most serious first; a kind that is not known here is more than a new device. */
const kinds: readonly string[] = ['threat', 'retro_match', 'beacon', 'other', 'new_device'];

/** `detections` newest first, and so are the groups. */
export function grouped(detections: readonly Detection[]): Group[] {
  const groups = Map.groupBy(detections, ({ type, src, srcMac, dst }) =>
    dst === null ? `${type} ${srcMac ?? src}` : `${src} ${dst}`,
  );
  return [...groups].flatMap(([key, all]) => {
    const lead = all.toSorted((one, another) => rank(one) - rank(another))[0];
    const isDanger = all.some(({ threatConfidence }) => threatConfidence === 'high');
    return lead ? [{ key, lead, all, isDanger }] : [];
  });
}

function rank({ type }: Detection): number {
  const found = kinds.indexOf(type);
  return found === -1 ? kinds.indexOf('other') : found;
}
