// Describes the hub for Home Assistant: a device with an event entity for alerts, and sensors for the last event.
import { createDiscoveryMessage, type Message, toDeviceId } from '#kernel/mqtt/message.ts';
import type { ToldEvent } from '../../../base/told-event.ts';

/** Where Home Assistant says `online` when it has started. */
export const homeAssistantStatus = 'homeassistant/status';

/** Lists the kinds as an object, so that the compiler names a kind that is missing. */
const kinds: Readonly<Record<ToldEvent['kind'], true>> = {
  threat: true,
  beacon: true,
  newDevice: true,
  retroMatch: true,
  router: true,
  hub: true,
  ai: true,
  test: true,
};

/** An automation distinguishes what is raised from what is over: `threat`, `threat_resolved`. */
export function toEventType({ kind, state }: Pick<ToldEvent, 'kind' | 'state'>): string {
  return state === 'raised' ? kind : `${kind}_resolved`;
}

export function createHubDiscovery(topic: string, version: string, hubUrl: string | undefined): Message {
  const types = (Object.keys(kinds) as ToldEvent['kind'][]).flatMap((kind) => [
    toEventType({ kind, state: 'raised' }),
    toEventType({ kind, state: 'resolved' }),
  ]);
  const sensor = { platform: 'sensor', state_topic: `${topic}/state` };
  return createDiscoveryMessage({
    id: toDeviceId('gatehouse', topic),
    device: {
      name: 'Gatehouse',
      model: 'Gatehouse hub',
      sw_version: version,
      ...(hubUrl ? { configuration_url: hubUrl } : {}),
    },
    origin: { name: 'Gatehouse', sw_version: version },
    topic,
    shared: { qos: 1 },
    components: {
      alert: { platform: 'event', name: 'Alert', state_topic: `${topic}/events`, event_types: types },
      last_event: {
        ...sensor,
        name: 'Last event',
        value_template: '{{ value_json.title }}',
        json_attributes_topic: `${topic}/state`,
      },
      level: {
        ...sensor,
        name: 'Level of the last event',
        value_template: '{{ value_json.level }}',
        device_class: 'enum',
        options: ['danger', 'warning', 'info'],
      },
    },
  });
}
