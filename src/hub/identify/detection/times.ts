import type { FeatureTimes } from '../../base/clock/times.ts';
import { clampRetroMatches } from './clamp-retro.ts';

export const detectionTimes: FeatureTimes = {
  tables: [
    { table: 'detection', stamps: ['detected_at'] },
    { table: 'detection_told', stamps: ['at'] },
    { table: 'retro_match', stamps: ['previous_at', 'listed_at'] },
  ],
  clamps: [clampRetroMatches],
};
