import type { FeatureTimes } from '../../base/clock/times.ts';
import { dropFutureStarts } from './clamp-starts.ts';

export const beaconTimes: FeatureTimes = {
  tables: [{ table: 'beacon', stamps: ['first_seen', 'last_seen', 'detected_at'] }],
  clamps: [dropFutureStarts],
};
