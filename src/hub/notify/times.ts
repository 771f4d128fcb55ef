import type { ClockCorrections } from '../base/clock/times.ts';

export const outboxTimes: ClockCorrections = {
  tables: [
    // A message that waits for its next try is tried at once.
    { table: 'outbox_message', timestamps: ['created_at', 'next_at', 'ended_at', 'failed_at'] },
    { table: 'outbox_event', timestamps: ['created_at', 'withdrawn_at'] },
  ],
};
