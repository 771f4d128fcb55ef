// The watch over the clock as a feature.
import type { Base, Feature } from '../feature.ts';
import type { ClockCorrections } from './times.ts';
import { startClockWatch } from './watch.ts';

/** `times` are those of all features. */
export function startClockFeature(
  { db, clock, steadyClock, log, signals }: Base,
  times: readonly ClockCorrections[],
): Feature {
  const onCorrected = () => signals.emit('clockCorrected');
  const watch = startClockWatch({ db, clock, steadyClock, log, times, onCorrected });
  return {
    status: () => ({ warnings: [watch.warning()] }),
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  };
}
