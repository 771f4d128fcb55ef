// How much of a period was observed, as a sentence.
import { percent } from '../text/format.ts';
import { text } from '../text/text.ts';

/** `share` from 0 to 1; null when no router was set up. */
export function describeCoverage(share: number | null): string {
  const t = text.value;
  return share === null ? t.observedNone : share === 1 ? t.observedPart : t.observedOf(percent(share));
}
