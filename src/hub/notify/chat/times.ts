import type { FeatureTimes } from '../../base/clock/times.ts';

export const chatTimes: FeatureTimes = {
  tables: [
    // A message that waits for its next try is tried at once.
    { table: 'chat_message', stamps: ['created_at', 'next_at', 'ended_at', 'failed_at'] },
    { table: 'chat_alert', stamps: ['created_at', 'withdrawn_at'] },
  ],
};
