// The kinds of destinations, and what makes the sender of each.
import type { DestinationKind, DestinationSettings } from '#contract/destinations.ts';
import { createEmailSender } from './email/sender.ts';
import { type Sender, type SenderDeps, SendFailure } from './sender.ts';
import { createWebhookSender } from './webhook/sender.ts';

/** What makes a sender of each kind. Making one must not throw: what is wrong is said when it sends. */
export type Senders = {
  readonly [K in DestinationKind]: (settings: Extract<DestinationSettings, { kind: K }>, deps: SenderDeps) => Sender;
};

const missing = (): Sender => ({
  send: () => Promise.reject(new SendFailure('settings', 'kind_missing', 'this version cannot send to this kind')),
  [Symbol.asyncDispose]: async () => {},
});

export const senders: Senders = {
  webhook: createWebhookSender,
  mqtt: missing,
  email: createEmailSender,
};

export type CreateSender = (settings: DestinationSettings) => Sender;

export function createSenderFactory(deps: SenderDeps): CreateSender {
  return (settings) => {
    const create = senders[settings.kind] as (settings: DestinationSettings, deps: SenderDeps) => Sender;
    return create(settings, deps);
  };
}
