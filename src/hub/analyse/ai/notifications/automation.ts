// Checks whether an analysis is due, and makes it. Each try is stored before the provider is asked: otherwise a crash or a
// failure would make the hub ask, and pay, again and again.
import { AppError, messageOf } from '#kernel/errors.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { Base } from '../../../base/feature.ts';
import type { AiSettings } from '../choice.ts';
import type { Generation, Generations } from '../generations.ts';
import { type MakeAnalysis, toErrorCode } from './analysis-maker.ts';
import type { Attempt, Trigger } from './attempts.ts';
import { filterByKey, findScheduledDue, isLimitReached, readRecentAttempts } from './due.ts';
import { appendAttempt } from './event-log.ts';
import { observe } from './observed.ts';
import { findHindrance, isAnyRuleOn } from './readiness.ts';
import { findThreatTrigger, formatCause, isRuleMet, parseCause, type ThreatRule, threatRules } from './triggers.ts';

export interface AutomationOptions extends Pick<Base, 'clock' | 'log' | 'db' | 'readers' | 'offline'> {
  /** Read again after each wait: consent may have been withdrawn. */
  settings: () => AiSettings;
  isChatReady: () => boolean;
  generations: Pick<Generations, 'begin' | 'isBusy'>;
  make: MakeAnalysis;
}

/** Returns the check. It resolves when the analysis that it began has ended; a failed one is stored and logged. */
export function createAutomation(options: AutomationOptions): (signal: AbortSignal) => Promise<void> {
  const { clock, log, db, readers, offline, settings, isChatReady, generations, make } = options;
  const isAllowed = (now: AiSettings) =>
    isAnyRuleOn(now.notifications) && findHindrance(now, { offline, isChatReady: isChatReady() }) === null;

  const threatDue = async (attempts: readonly Attempt[], now: number, signal: AbortSignal): Promise<Trigger | null> => {
    const { notifications } = settings();
    const threats = attempts.filter(({ type }) => type === 'threat');
    const met: ThreatRule[] = [];
    for (const rule of threatRules.filter((one) => notifications.rules[one])) {
      // What happened before the last analysis of this rule counts for no second one.
      const analysed = threats.findLast(
        ({ isDone, cause, at }) => isDone && at <= now && parseCause(cause).includes(rule),
      );
      const from = Math.max(now - notifications.rangeHours * hourMs, analysed?.at ?? 0);
      if (await isRuleMet(rule, notifications, observe({ db, reads: readers.reads, signal }, { from, to: now }))) {
        met.push(rule);
      }
    }
    return met.length > 0 ? findThreatTrigger(formatCause(met), threats, notifications, now) : null;
  };
  const takePlace = (): Generation | null => {
    try {
      return generations.begin({ confirmed: true, caller: null });
    } catch (error) {
      if (error instanceof AppError && error.code === 'ai_busy') {
        return null;
      }
      throw error;
    }
  };
  const begin = async (trigger: Trigger, number: number, asked: AiSettings, signal: AbortSignal) => {
    using generation = takePlace();
    if (generation) {
      await db.save((writer) => appendAttempt(writer, trigger, number, clock.now()));
      // Consent may have been taken back meanwhile.
      if (settings() === asked && !signal.aborted) {
        await make(generation, { ...trigger, failedKey: `${trigger.key}#${number}` }, signal).catch(
          (error: unknown) => {
            if (!signal.aborted) {
              const code = toErrorCode(error);
              log.warn({ code, trigger: trigger.type, number }, `an analysis was not made: ${messageOf(error)}`);
            }
          },
        );
      }
    }
  };

  return async (signal) => {
    const asked = settings();
    const now = clock.now();
    if (!isAllowed(asked) || generations.isBusy()) {
      return;
    }
    const attempts = readRecentAttempts(db, now);
    if (isLimitReached(asked.notifications, attempts, now)) {
      return;
    }
    const scheduled = findScheduledDue(asked.notifications, attempts, now);
    const trigger = scheduled && scheduled.at <= now ? scheduled.trigger : await threatDue(attempts, now, signal);
    if (trigger && settings() === asked && isAllowed(asked)) {
      await begin(trigger, filterByKey(attempts, trigger.key).length + 1, asked, signal);
    }
  };
}
