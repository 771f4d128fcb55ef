import type { ClockCorrections } from '../../base/clock/times.ts';

export const threatTimes: ClockCorrections = {
  tables: [
    {
      table: 'threat_part',
      timestamps: ['fetched_at', 'checked_at', 'attempted_at'],
      deadlines: { next_at: 'attempted_at' },
    },
    { table: 'threat_agreed', timestamps: ['fetched_at', 'checked_at'] },
  ],
};
