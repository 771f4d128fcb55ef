// Settings of MQTT, as the contract of destinations has them.
import type { DestinationSettings } from '#contract/destinations.ts';

export type MqttSettings = Extract<DestinationSettings, { kind: 'mqtt' }>;
