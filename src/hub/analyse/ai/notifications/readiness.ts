// Whether the hub may and can make analyses by itself, and if not, why not and what to do.
import { AppError } from '#kernel/errors.ts';
import { timeZone } from '#kernel/time/time-zone.ts';
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

/** Why no analysis is begun by itself, in a sentence; null when nothing is in the way. */
export function findHindrance(settings: AiSettings, { offline, isChatReady }: Surroundings): string | null {
  const { notifications } = settings;
  try {
    const target = resolveQuestionTarget(settings, offline);
    requireConsent(settings, target, true);
    if (isCloud(target.provider) && !isAutomationAgreed(settings)) {
      return `nobody has agreed that ${providerTitles[target.provider]} is asked without a question each time: agree in the settings, under AI notifications`;
    }
  } catch (error) {
    if (error instanceof AppError) {
      return error.message;
    }
    throw error;
  }
  if (!notifications.destinations.ui && !isChatReady) {
    return chatMissing;
  }
  return notifications.rules.scheduled && !timeZone(notifications.timezone)
    ? `${notifications.timezone} is no time zone that this hub knows: choose another one in the settings, under AI notifications`
    : null;
}

export const chatMissing =
  'the chat workspace cannot receive messages: switch it on and save a token and a user, or choose another destination';
