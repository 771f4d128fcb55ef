import type { FeatureTimes } from '../../../base/clock/times.ts';

export const lookUpTimes: FeatureTimes = {
  tables: [{ table: 'destination_answer', stamps: ['at'], deadlines: { until: 'at' } }],
};
