import type { FeatureTimes } from '../../base/clock/times.ts';
import { clampSpans } from './clamp-spans.ts';

export const coverageTimes: FeatureTimes = {
  tables: [{ table: 'coverage_subject', stamps: ['removed_at'] }],
  clamps: [clampSpans],
};
