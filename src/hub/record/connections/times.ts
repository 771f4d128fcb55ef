import type { FeatureTimes } from '../../base/clock/times.ts';
import { clampHours } from './upkeep/clamp-hours.ts';

export const connectionTimes: FeatureTimes = {
  tables: [
    { table: 'source', stamps: ['first_seen', 'held_since'] },
    { table: 'destination', stamps: ['first_seen'] },
    { table: 'flow', stamps: ['first_seen', 'last_seen'] },
    { table: 'flow_link', stamps: ['seen_at'] },
    { table: 'router_address', stamps: ['first_seen', 'last_seen'] },
  ],
  clamps: [clampHours],
};
