// Decides whether threats or new destinations start an AI analysis, unless one was made lately.
import { elapsed } from '#kernel/time/clock.ts';
import { dayMs, minuteMs } from '#kernel/time/time.ts';
import type { AiSettings } from '../choice.ts';
import { type Attempt, decideRetry, type Trigger } from './attempts.ts';

/** A cause joins the rules that are met, in this order: `danger+increase`. */
export const threatRules = ['danger', 'newDestination', 'increase'] as const;
export type ThreatRule = (typeof threatRules)[number];

export type TriggerSettings = Pick<
  AiSettings['notifications'],
  'rules' | 'dangerThreshold' | 'newDestinationsThreshold' | 'increaseThreshold' | 'cooldownMinutes'
>;

/** Counts of a period. They are functions, so that only the rules in use query the database. */
export interface PeriodCounts {
  /** Connections whose threat level is `danger`. */
  danger(): number;
  /** Destinations first seen in the period. */
  newDestinations(): number;
  /** Connections whose threat level is `warn` or `danger`. */
  threats(): number;
  /** `threats` of the period before, which is as long. */
  previousThreats(): Promise<number>;
}

/** `increaseThreshold` is a factor: so many times the threats of the period before, which counts as at least one. */
export async function isRuleMet(rule: ThreatRule, settings: TriggerSettings, counts: PeriodCounts): Promise<boolean> {
  switch (rule) {
    case 'danger':
      return counts.danger() >= settings.dangerThreshold;
    case 'newDestination':
      return counts.newDestinations() >= settings.newDestinationsThreshold;
    case 'increase': {
      const threats = counts.threats();
      // Too few for any period before: its slow count is not needed.
      if (threats < settings.increaseThreshold) {
        return false;
      }
      return threats >= settings.increaseThreshold * Math.max(await counts.previousThreats(), 1);
    }
  }
}

export function formatCause(rules: readonly ThreatRule[]): string {
  return threatRules.filter((rule) => rules.includes(rule)).join('+');
}

export function parseCause(cause: string): ThreatRule[] {
  return threatRules.filter((rule) => cause.split('+').includes(rule));
}

/**
 * Returns the analysis to attempt now for `cause`: a new one, or the retry of a failed one less than a day old. Null while
 * that retry waits, and during the cooldown: after the last retry for the same cause failed, and after an analysis for
 * all rules of `cause`. `attempts` are those of type `threat`, oldest first.
 */
export function findThreatTrigger(
  cause: string,
  attempts: readonly Attempt[],
  { cooldownMinutes }: TriggerSettings,
  now: number,
): Trigger | null {
  const rules = parseCause(cause);
  for (const tries of groupByAnalysis(attempts)) {
    const { key, cause: triedCause, at } = tries.at(-1) as Attempt;
    const retry = decideRetry(tries, now);
    const isSame = triedCause === cause;
    if (typeof retry === 'object') {
      if (isSame && elapsed(at, now) < dayMs) {
        return retry.waitMs === 0 ? { type: 'threat', key, cause } : null;
      }
    } else if (elapsed(at, now) < cooldownMinutes * minuteMs) {
      const isCovered = retry === 'done' && rules.every((rule) => parseCause(triedCause).includes(rule));
      if (isSame || isCovered) {
        return null;
      }
    }
  }
  return { type: 'threat', key: `threat:${cause}:${now}`, cause };
}

/** Attempts with the same key are tries of one analysis. Returns the newest analysis first. */
function groupByAnalysis(attempts: readonly Attempt[]): (readonly Attempt[])[] {
  return [...Map.groupBy(attempts, ({ key }) => key).values()].reverse();
}
