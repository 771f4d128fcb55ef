// Groups detections: everything between one device and one destination is one cause.
import type { Reply } from '../api/client.ts';

export type Detection = Reply<'GET /api/notification-log'>['logs'][number];

export interface Cause {
  key: string;
  /** The newest detection of the most serious kind. It gives the title. */
  mainDetection: Detection;
  /** Newest first. */
  all: readonly Detection[];
  /** A list names the destination with high confidence. */
  isDanger: boolean;
}

/** Most serious first. Unknown kinds rank as `other`. */
const kinds: readonly string[] = ['threat', 'retro_match', 'beacon', 'other', 'new_device'];

/** `detections` and the causes are sorted newest first. */
export function groupByCause(detections: readonly Detection[]): Cause[] {
  const causes = Map.groupBy(detections, ({ type, src, srcMac, dst }) =>
    dst === null ? `${type} ${srcMac ?? src}` : `${src} ${dst}`,
  );
  return [...causes].flatMap(([key, all]) => {
    const mainDetection = all.toSorted((one, another) => rank(one) - rank(another))[0];
    const isDanger = all.some(({ threatConfidence }) => threatConfidence === 'high');
    return mainDetection ? [{ key, mainDetection, all, isDanger }] : [];
  });
}

function rank({ type }: Detection): number {
  const found = kinds.indexOf(type);
  return found === -1 ? kinds.indexOf('other') : found;
}

/** Source, destination, port and protocol: the id of the connection in the API. */
export function connectionId({ src, dst, dport, proto }: Pick<Detection, 'src' | 'dst' | 'dport' | 'proto'>): string {
  return [src, dst, dport, proto].join();
}
