import type { ClockCorrections } from '../../base/clock/times.ts';
import { clampHours } from './upkeep/clamp-hours.ts';

export const connectionTimes: ClockCorrections = {
  tables: [
    { table: 'source', timestamps: ['first_seen', 'held_since'] },
    { table: 'destination', timestamps: ['first_seen'] },
    { table: 'flow', timestamps: ['first_seen', 'last_seen'] },
    { table: 'flow_link', timestamps: ['seen_at'] },
    { table: 'router_address', timestamps: ['first_seen', 'last_seen'] },
    { table: 'unkept_hour', timestamps: ['last_at'] },
    { table: 'retention', timestamps: ['removed_before'] },
  ],
  clamps: [clampHours],
};
