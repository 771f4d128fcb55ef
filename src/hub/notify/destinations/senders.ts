// Makes the sender of a destination by its kind.
import type { DestinationKind, DestinationSettings } from '#contract/destinations.ts';
import { createEmailSender } from './email/sender.ts';
import { createMqttSender } from './mqtt/sender.ts';
import type { Sender, SenderDeps } from './sender.ts';
import { createTargetLookup } from './target.ts';
import { createWebhookSender } from './webhook/sender.ts';

/** The functions that make a sender, by kind. They do not throw: `send` says what is wrong with the settings. */
export type Senders = {
  readonly [K in DestinationKind]: (settings: Extract<DestinationSettings, { kind: K }>, deps: SenderDeps) => Sender;
};

export const senders: Senders = {
  webhook: createWebhookSender,
  mqtt: (settings, deps) => createMqttSender(settings, { ...deps, lookup: createTargetLookup(settings.allowPrivate) }),
  email: createEmailSender,
};

export type CreateSender = (settings: DestinationSettings) => Sender;

export function createSenderFactory(deps: SenderDeps): CreateSender {
  return (settings) => {
    const create = senders[settings.kind] as (settings: DestinationSettings, deps: SenderDeps) => Sender;
    return create(settings, deps);
  };
}
