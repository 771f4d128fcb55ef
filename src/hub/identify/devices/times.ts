import type { FeatureTimes } from '../../base/clock/times.ts';

export const deviceTimes: FeatureTimes = {
  tables: [
    { table: 'device', stamps: ['first_seen', 'last_seen', 'archived_at'] },
    { table: 'interface', stamps: ['first_seen', 'last_seen'] },
    { table: 'lease', stamps: ['since', 'last_seen', 'until'] },
    { table: 'merge_candidate', stamps: ['created_at', 'resolved_at'] },
    { table: 'device_merge', stamps: ['merged_at', 'undone_at'] },
  ],
};
