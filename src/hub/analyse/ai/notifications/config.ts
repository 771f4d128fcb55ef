// The settings of AI notifications as the API shows and saves them.
import type { z } from 'zod';
import type { AiNotificationConfig, aiNotificationRoutes } from '#contract/ai-notifications.ts';
import type { Fact } from '#contract/facts.ts';
import { AppError } from '#kernel/errors.ts';
import { timeZone } from '#kernel/time/time-zone.ts';
import { createFact, createRefusal } from '../../../base/refusals.ts';
import { type AiSettings, isCloud, providerTitles } from '../choice.ts';
import { chatMissing, isAnyRuleOn, isAutomationAgreed } from './readiness.ts';
import { threatRules } from './triggers.ts';

type Sent = z.output<(typeof aiNotificationRoutes)['saveNotificationConfig']['body']>;

export function toNotificationConfig(settings: AiSettings): AiNotificationConfig {
  const {
    dangerThreshold,
    newDestinationsThreshold,
    increaseThreshold,
    scheduleSetAt: _,
    ...shown
  } = settings.notifications;
  const enabled = threatRules.some((rule) => shown.rules[rule]);
  return {
    ...shown,
    threat: { enabled, dangerThreshold, newDestinationsThreshold, increaseThreshold },
    automationConsent: isAutomationAgreed(settings),
  };
}

/**
 * The settings with what was sent. Throws AppError `invalid_body` for what does not go together, `ai_chat_missing` when
 * the chat workspace cannot receive messages, and `ai_consent_missing` when a cloud provider would be asked by itself.
 */
export function applyConfigChange(
  { provider, notifications: before }: Pick<AiSettings, 'provider' | 'notifications'>,
  { threat: { enabled, ...thresholds }, automationConsent, ...sent }: Sent,
  { isChatReady, now }: { isChatReady: boolean; now: number },
): AiSettings['notifications'] {
  const rules = sent.rules ?? {
    scheduled: sent.frequency !== 'off',
    danger: enabled,
    newDestination: enabled,
    increase: enabled,
  };
  requireConsistent(sent, rules);
  if (sent.destinations.chat && !isChatReady) {
    throw new AppError('ai_chat_missing', chatMissing);
  }
  if (isAnyRuleOn({ rules }) && provider !== 'disabled' && isCloud(provider) && !automationConsent) {
    throw new AppError(
      'ai_consent_missing',
      `${providerTitles[provider]} would be asked without a question each time: agree with automationConsent: true, or switch all rules off`,
    );
  }
  const isSameSchedule =
    before.rules.scheduled === rules.scheduled &&
    (['frequency', 'weekday', 'time', 'timezone'] as const).every((name) => before[name] === sent[name]);
  return {
    ...sent,
    ...thresholds,
    rules,
    scheduleSetAt: isSameSchedule ? before.scheduleSetAt : now,
    automationConsent: automationConsent && provider !== 'disabled' ? provider : null,
  };
}

function requireConsistent(
  { frequency, timezone, destinations }: Pick<Sent, 'frequency' | 'timezone' | 'destinations'>,
  rules: AiNotificationConfig['rules'],
): void {
  const refuse = (message: string, fact: Fact) => {
    throw createRefusal('invalid_body', message, [fact]);
  };
  if (!timeZone(timezone)) {
    refuse(
      `timezone: ${timezone} is no time zone: give an IANA name such as Asia/Tokyo`,
      createFact('time_zone_unknown', { zone: timezone }),
    );
  }
  if (!destinations.ui && !destinations.chat) {
    refuse('destinations: choose ui, chat or both', createFact('destination_missing'));
  }
  if (rules.scheduled && frequency === 'off') {
    refuse('rules: scheduled does not go with frequency off: choose daily or weekly', createFact('frequency_missing'));
  }
}
