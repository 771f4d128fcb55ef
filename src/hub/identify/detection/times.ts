import type { ClockCorrections } from '../../base/clock/times.ts';
import { clampRetroMatches } from './clamp-retro.ts';

export const detectionTimes: ClockCorrections = {
  tables: [
    { table: 'detection', timestamps: ['detected_at'] },
    { table: 'detection_told', timestamps: ['at'] },
    {
      table: 'alert',
      timestamps: ['state_at', 'opened_until', 'first_at', 'last_at'],
      deadlines: { quiet_until: 'state_at' },
    },
    { table: 'alert_rule', timestamps: ['created_at', 'ended_at'], deadlines: { until: 'created_at' } },
    { table: 'alert_event', timestamps: ['at', 'undone_at'], deadlines: { until: 'at' } },
    { table: 'retro_match', timestamps: ['previous_at', 'listed_at'] },
  ],
  clamps: [clampRetroMatches],
};
