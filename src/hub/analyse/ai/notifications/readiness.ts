// Whether the hub may and can make analyses by itself, and if not, why not and what to do.
import { factCodes } from '#contract/facts.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { timeZone } from '#kernel/time/time-zone.ts';
import { createStatement, type Statement } from '../../../base/statements.ts';
import { type AiSettings, isCloud, providerTitles, requireConsent, resolveQuestionTarget } from '../choice.ts';

export interface Surroundings {
  /** The hub asks nobody outside its network. */
  offline: boolean;
  /** The chat workspace can receive messages. */
  isChatReady: boolean;
}

export function isAnyRuleOn({ rules }: Pick<AiSettings['notifications'], 'rules'>): boolean {
  return Object.values(rules).some((isOn) => isOn);
}

/** Whether the provider that is chosen now is the one that may be asked without a question each time. */
export function isAutomationAgreed({ provider, notifications }: AiSettings): boolean {
  return provider !== 'disabled' && notifications.automationConsent === provider;
}

/** Why no analysis is begun by itself; null when nothing is in the way. */
export function findHindrance(settings: AiSettings, { offline, isChatReady }: Surroundings): Statement | null {
  const { notifications } = settings;
  try {
    const target = resolveQuestionTarget(settings, offline);
    requireConsent(settings, target, true);
    if (isCloud(target.provider) && !isAutomationAgreed(settings)) {
      const provider = providerTitles[target.provider];
      return createStatement(
        'automation_not_agreed',
        `nobody has agreed that ${provider} is asked without a question each time: agree in the settings, under AI notifications`,
        { provider },
      );
    }
  } catch (error) {
    const code = error instanceof AppError && factCodes.find((one) => one === error.code);
    if (code) {
      return createStatement(code, messageOf(error));
    }
    throw error;
  }
  if (!notifications.destinations.ui && !isChatReady) {
    return createStatement('chat_not_ready', chatMissing);
  }
  return notifications.rules.scheduled && !timeZone(notifications.timezone)
    ? createStatement(
        'time_zone_unknown',
        `${notifications.timezone} is no time zone that this hub knows: choose another one in the settings, under AI notifications`,
        { zone: notifications.timezone },
      )
    : null;
}

export const chatMissing =
  'the chat workspace cannot receive messages: switch it on and save a token and a user, or choose another destination';
