// The alerts of a period that need a look, newest first.
import { signal } from '@preact/signals';
import { ask, type Reply } from '../api/client.ts';
import { type Cause, connectionId, type Detection, groupByCause } from './causes.ts';

type Beacon = Reply<'GET /api/beacons'>['beacons'][number];

export interface Attention {
  urgent: readonly Cause[];
  /** The period has more detections than one request returns; older ones are missing here. */
  isTruncated: boolean;
}

/** Increases with each beacon that is dismissed, so that views load again. */
export const dismissals = signal(0);

/** Epoch milliseconds as text. Without `to`, everything since `from`. */
export interface Period {
  from: string;
  to?: string;
}

/** Limit of one request for detections, newest first. `isTruncated` says whether the period has more. */
const most = '200';

export async function loadAttention(period: Period, stop: AbortSignal): Promise<Attention> {
  const [{ logs, truncated }, { beacons }] = await Promise.all([
    ask('GET /api/notification-log', { query: { ...period, limit: most } }, stop),
    ask('GET /api/beacons', { query: { includeDismissed: '1', includeBenign: '1' } }, stop),
  ]);
  return { urgent: findUrgent(logs, beacons), isTruncated: truncated };
}

/** Leaves out new devices and dismissed beacons. */
function findUrgent(detections: readonly Detection[], beacons: readonly Beacon[]): Cause[] {
  const dismissed = new Set(beacons.filter(({ status }) => status === 'dismissed').map(connectionId));
  return groupByCause(
    detections.filter(
      (one) => one.type !== 'new_device' && !(one.type === 'beacon' && dismissed.has(connectionId(one))),
    ),
  );
}
