// A hub with simulated AI providers, a chat workspace and a router: analyses that it makes by itself.

import type { AiNotificationConfig, AiNotificationEvent } from '#contract/ai-notifications.ts';
import type { AiChoice } from '#contract/ai-records.ts';
import type { HubOptions } from '#hub/base/config.ts';
import { type AiSimulator, startAi } from '#simulators/ai/ai.ts';
import { aiChoice, awsCredentials } from './ai-lab.ts';
import { type DetectionLab, startDetectionLab } from './detection-lab.ts';
import { watchLeaks } from './leak-guard.ts';

export interface NotificationLab extends DetectionLab {
  readonly ai: AiSimulator;
  /** Chooses a provider with its model, key and consent. */
  choose(provider: AiChoice): Promise<void>;
  /** Saves the settings of notifications: off, shown and sent, but for `change`. */
  set(change: Partial<AiNotificationConfig>): Promise<Status>;
  status(): Promise<Status>;
  /** Questions to the model. */
  asked(): number;
  /** Newest first. */
  events(): Promise<AiNotificationEvent[]>;
  /** Texts of analyses that the chat workspace took. */
  delivered(): string[];
  /** Moves the clock, lets the hub look once whether something is due, and waits for what it began. */
  later(ms: number): Promise<void>;
}

type Status = Awaited<ReturnType<DetectionLab['as']['admin']['ai']['notificationConfig']>>['status'];

export const minute = 60_000;
export const hour = 60 * minute;

/** It is 03:00 UTC on Sunday, 2026-03-01. */
export async function startNotificationLab(
  options: { provider?: AiChoice; hub?: Partial<HubOptions> } = {},
): Promise<NotificationLab> {
  await using opened = new AsyncDisposableStack();
  opened.use(watchLeaks());
  const ai = opened.use(await startAi());
  opened.use(awsCredentials(ai));
  const lab = opened.use(await startDetectionLab({ hub: { aiUrls: ai.urls, ...options.hub } }));
  const notificationLab: Omit<NotificationLab, keyof DetectionLab> = {
    ai,
    async choose(provider) {
      await lab.as.admin.ai.saveConfig({ body: aiChoice(provider, ai) });
    },
    async set(change) {
      const body = { ...plain, ...change };
      return (await lab.as.admin.ai.saveNotificationConfig({ body })).status;
    },
    status: async () => (await lab.as.admin.ai.notificationConfig({})).status,
    asked: () => ai.requests().filter(({ method, body }) => method === 'POST' && body.includes('<facts>')).length,
    events: async () => (await lab.as.admin.ai.notificationEvents({ query: { limit: '200' } })).events,
    delivered: () => lab.told().filter((text) => text.includes('Written by')),
    later(ms) {
      lab.clock.jump(lab.clock.now() + ms);
      return lab.advance(0);
    },
  };
  await notificationLab.choose(options.provider ?? 'local');
  const whole = opened.move();
  return Object.assign(Object.create(lab) as DetectionLab, notificationLab, {
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  });
}

const plain: AiNotificationConfig = {
  ...{ frequency: 'off', weekday: 0, time: '03:10', timezone: 'UTC', rangeHours: 24 },
  destinations: { ui: true, chat: true },
  rules: { scheduled: false, danger: false, newDestination: false, increase: false },
  threat: { enabled: false, dangerThreshold: 1, newDestinationsThreshold: 1, increaseThreshold: 3 },
  ...{ dailyLimit: 6, cooldownMinutes: 15, automationConsent: true },
};

/** Every day at 03:10 UTC, ten minutes after the start of the lab. */
export const daily = { frequency: 'daily', rules: { ...plain.rules, scheduled: true } } as const;

/** Rules of threats that are on. */
export function rules(...on: (keyof AiNotificationConfig['rules'])[]): Pick<AiNotificationConfig, 'rules'> {
  return { rules: { ...plain.rules, ...Object.fromEntries(on.map((rule) => [rule, true])) } };
}
