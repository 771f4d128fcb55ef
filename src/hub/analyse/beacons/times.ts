import type { ClockCorrections } from '../../base/clock/times.ts';
import { dropFutureStarts } from './clamp-starts.ts';

export const beaconTimes: ClockCorrections = {
  tables: [{ table: 'beacon', timestamps: ['first_seen', 'last_seen', 'detected_at'] }],
  clamps: [dropFutureStarts],
};
