// The watch over the clock as a feature.
import type { Base, Feature } from '../feature.ts';
import type { AlsoBringBack } from './bring-back.ts';
import { startClockWatch } from './watch.ts';

/** `also` brings back instants of other features. */
export function startClockFeature({ db, clock, log, signals }: Base, also: readonly AlsoBringBack[]): Feature {
  const watch = startClockWatch({ db, clock, log, also, onBroughtBack: () => signals.emit('clockCorrected') });
  return {
    status: () => ({ warnings: [watch.warning()] }),
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  };
}
