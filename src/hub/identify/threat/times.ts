import type { FeatureTimes } from '../../base/clock/times.ts';

export const threatTimes: FeatureTimes = {
  tables: [
    {
      table: 'threat_part',
      stamps: ['fetched_at', 'checked_at', 'attempted_at'],
      deadlines: { next_at: 'attempted_at' },
    },
    { table: 'threat_agreed', stamps: ['fetched_at', 'checked_at'] },
  ],
};
