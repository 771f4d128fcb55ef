import type { FeatureTimes } from '../clock/times.ts';
import { clampSpans } from './clamp-spans.ts';

export const coverageTimes: FeatureTimes = {
  tables: [{ table: 'coverage_subject', stamps: ['removed_at'] }],
  clamps: [clampSpans],
};
