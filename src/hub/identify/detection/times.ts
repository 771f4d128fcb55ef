import type { ClockCorrections } from '../../base/clock/times.ts';
import { clampRetroMatches } from './clamp-retro.ts';

export const detectionTimes: ClockCorrections = {
  tables: [
    { table: 'detection', timestamps: ['detected_at'] },
    { table: 'detection_told', timestamps: ['at'] },
    { table: 'retro_match', timestamps: ['previous_at', 'listed_at'] },
  ],
  clamps: [clampRetroMatches],
};
