// Settings of e-mail, as the contract of destinations has them.
import type { DestinationSettings } from '#contract/destinations.ts';

export type EmailSettings = Extract<DestinationSettings, { kind: 'email' }>;
