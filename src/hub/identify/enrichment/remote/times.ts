import type { ClockCorrections } from '../../../base/clock/times.ts';

export const lookUpTimes: ClockCorrections = {
  tables: [{ table: 'destination_answer', timestamps: ['at'], deadlines: { until: 'at' } }],
};
