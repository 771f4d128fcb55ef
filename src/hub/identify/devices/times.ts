import type { ClockCorrections } from '../../base/clock/times.ts';

export const deviceTimes: ClockCorrections = {
  tables: [
    { table: 'device', timestamps: ['first_seen', 'last_seen', 'archived_at'] },
    { table: 'interface', timestamps: ['first_seen', 'last_seen'] },
    { table: 'lease', timestamps: ['since', 'last_seen', 'until'] },
    { table: 'merge_candidate', timestamps: ['created_at', 'resolved_at'] },
    { table: 'device_merge', timestamps: ['merged_at', 'undone_at'] },
  ],
};
