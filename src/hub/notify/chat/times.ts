import type { ClockCorrections } from '../../base/clock/times.ts';

export const chatTimes: ClockCorrections = {
  tables: [
    // A message that waits for its next try is tried at once.
    { table: 'chat_message', timestamps: ['created_at', 'next_at', 'ended_at', 'failed_at'] },
    { table: 'chat_alert', timestamps: ['created_at', 'withdrawn_at'] },
  ],
};
