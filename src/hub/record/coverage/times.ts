import type { ClockCorrections } from '../../base/clock/times.ts';
import { clampSpans } from './clamp-spans.ts';

export const coverageTimes: ClockCorrections = {
  tables: [{ table: 'coverage_subject', timestamps: ['removed_at'] }],
  clamps: [clampSpans],
};
