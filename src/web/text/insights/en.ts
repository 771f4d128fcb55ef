// English of the insights.
import type { Same } from '../en.ts';
import { many } from '../plural.ts';

export const en = {
  stays: 'Nothing on this page leaves this hub.',
  amount: (period: string, count: number, shown: string, change: string) =>
    `${period}: ${shown} ${many(count, 'connection', 'connections')}, ${change}.`,
  alone: 'nothing to compare with',
  blind: 'No router was read in this period.',
  blindBefore: 'No router was read in the period before. What looks new may only be new to this hub.',
  weak: (now: string, before: string) =>
    `The comparison is weak: ${now} of this period was observed, and ${before} of the one before.`,
  listed: (danger: string, warn: string) => `To known-bad destinations: danger ${danger}, warning ${warn}.`,
  noneListed: 'No connection went to a known-bad destination.',
  more: (shown: string) => `${shown} more`,
  fewer: (shown: string) => `${shown} fewer`,
  same: 'no change',
  weakly: (change: string) => `${change}, weak`,
  notComparable: 'not comparable',
  comparison: 'Comparison',
  now: 'This period',
  earlier: 'Before',
  change: 'Change',
  observed: 'Observed',
  unjudged: 'not checked',
  inPart: (share: string) => `${share} partly`,
  services: 'Services',
  destinations: 'Destinations',
  notNow: 'not read now',
  isOff: 'switched off',
  copy: 'Copy as text',
  tooLong: 'Insights compare at most 14 days: choose a shorter period.',
} as const;

export type InsightsDictionary = Same<typeof en>;
