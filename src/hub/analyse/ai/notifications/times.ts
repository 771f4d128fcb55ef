import type { ClockCorrections } from '../../../base/clock/times.ts';

export const notificationTimes: ClockCorrections = { tables: [{ table: 'ai_event_sent', timestamps: ['sent_at'] }] };
