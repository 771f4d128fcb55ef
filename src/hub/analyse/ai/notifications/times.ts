import type { FeatureTimes } from '../../../base/clock/times.ts';

export const notificationTimes: FeatureTimes = { tables: [{ table: 'ai_event_sent', stamps: ['sent_at'] }] };
