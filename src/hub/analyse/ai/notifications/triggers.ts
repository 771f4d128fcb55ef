// Whether what was seen on the network calls for an analysis, and whether one for the same causes was made lately.
import { elapsed } from '#kernel/time/clock.ts';
import { dayMs, minuteMs } from '#kernel/time/time.ts';
import type { AiSettings } from '../choice.ts';
import { type Attempt, decideRetry, type Trigger } from './attempts.ts';

/** In the order in which a cause names them. */
export const threatRules = ['danger', 'newDestination', 'increase'] as const;
export type ThreatRule = (typeof threatRules)[number];

export type TriggerSettings = Pick<
  AiSettings['notifications'],
  'rules' | 'dangerThreshold' | 'newDestinationsThreshold' | 'increaseThreshold' | 'cooldownMinutes'
>;

/** Counts of a period; each is asked for when a rule needs it. */
export interface Observed {
  /** Connections to listed destinations, of level danger. */
  danger(): number;
  /** Destinations that were seen for the first time. */
  newDestinations(): number;
  /** Connections that are not safe. */
  threats(): number;
  /** As `threats`, of the period of the same length before. */
  previousThreats(): Promise<number>;
}

/** Whether a rule is met in a period. For `increase`, the period before counts as at least one threat. */
export async function isRuleMet(rule: ThreatRule, settings: TriggerSettings, observed: Observed): Promise<boolean> {
  switch (rule) {
    case 'danger':
      return observed.danger() >= settings.dangerThreshold;
    case 'newDestination':
      return observed.newDestinations() >= settings.newDestinationsThreshold;
    case 'increase': {
      const threats = observed.threats();
      return (
        threats >= settings.increaseThreshold &&
        threats >= settings.increaseThreshold * Math.max(await observed.previousThreats(), 1)
      );
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
 * The occasion that `cause` calls for now: a new one, or one of the same causes of the last day whose next try is due. Null
 * while that has to wait, and for the time of the cooldown after the same causes were given up, or after an analysis for
 * them, with others or without. `attempts` are those of threats, oldest first.
 */
export function findThreatTrigger(
  cause: string,
  attempts: readonly Attempt[],
  { cooldownMinutes }: TriggerSettings,
  now: number,
): Trigger | null {
  const rules = parseCause(cause);
  for (const occasion of groupByOccasion(attempts)) {
    const { key, cause: before, at } = occasion.at(-1) as Attempt;
    const standing = decideRetry(occasion, now);
    const isSame = before === cause;
    if (typeof standing === 'object') {
      if (isSame && elapsed(at, now) < dayMs) {
        return standing.waitMs === 0 ? { type: 'threat', key, cause } : null;
      }
    } else if (elapsed(at, now) < cooldownMinutes * minuteMs) {
      const isCovered = standing === 'done' && rules.every((rule) => parseCause(before).includes(rule));
      if (isSame || isCovered) {
        return null;
      }
    }
  }
  return { type: 'threat', key: `threat:${cause}:${now}`, cause };
}

/** Attempts of each occasion, the newest occasion first. */
function groupByOccasion(attempts: readonly Attempt[]): (readonly Attempt[])[] {
  return [...Map.groupBy(attempts, ({ key }) => key).values()].reverse();
}
