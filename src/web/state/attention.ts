// What needs a look in a period, the latest first.
import { signal } from '@preact/signals';
import { ask, type Reply } from '../api/client.ts';
import { type Cause, type Detection, groupByCause } from './causes.ts';

type Beacon = Reply<'GET /api/beacons'>['beacons'][number];

export interface Attention {
  urgent: readonly Cause[];
  /** The period has more detections than were looked at. */
  isTruncated: boolean;
}

/** Moves on with each beacon that is dismissed in this page. */
export const dismissals = signal(0);

/** Epoch milliseconds; without `to` everything from then on. */
export interface Period {
  from: string;
  to?: string;
}

/** Detections that are looked at. */
const most = '200';

export async function loadAttention(period: Period, stop: AbortSignal): Promise<Attention> {
  const [{ logs, truncated }, { beacons }] = await Promise.all([
    ask('GET /api/notification-log', { query: { ...period, limit: most } }, stop),
    ask('GET /api/beacons', { query: { includeDismissed: '1', includeBenign: '1' } }, stop),
  ]);
  return { urgent: findUrgent(logs, beacons), isTruncated: truncated };
}

/** A new device asks for nothing, and what was dismissed is settled. */
function findUrgent(detections: readonly Detection[], beacons: readonly Beacon[]): Cause[] {
  const dismissed = new Set(beacons.filter(({ status }) => status === 'dismissed').map(flowOf));
  return groupByCause(
    detections.filter((one) => one.type !== 'new_device' && !(one.type === 'beacon' && dismissed.has(flowOf(one)))),
  );
}

/** Source, destination, port and protocol: the id of the connection in the API. */
export function flowOf({ src, dst, dport, proto }: Pick<Detection, 'src' | 'dst' | 'dport' | 'proto'>): string {
  return [src, dst, dport, proto].join();
}
