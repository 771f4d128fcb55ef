// Settings of a webhook, as the contract of destinations has them.
import type { DestinationSettings } from '#contract/destinations.ts';

export type WebhookSettings = Extract<DestinationSettings, { kind: 'webhook' }>;
