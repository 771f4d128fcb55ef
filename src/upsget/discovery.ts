// Home Assistant's MQTT discovery: one message that announces the UPS as a device with a sensor for each value.

import { formatAuthority } from './host.ts';
import type { Reading, Unit } from './items.ts';
import type { Message } from './mqtt-message.ts';

export interface DiscoveryOptions {
  /** Address of the UPS; the ids are derived from it, so that they are stable. */
  host: string;
  port: number;
  topic: string;
  /** Values expire after this time; null: never. */
  expireMs: number | null;
  version: string;
}

/** The availability, in a separate topic; retained, so that Home Assistant has it after a restart. */
export function createAvailabilityMessage(topic: string, state: 'online' | 'offline'): Message {
  return { topic: `${topic}/availability`, payload: state, retain: true };
}

/** A retained message for `homeassistant/device/…/config` (Home Assistant 2024.11 or later). */
export function createDiscoveryMessage(readings: readonly Reading[], options: DiscoveryOptions): Message {
  const { host, port, topic, expireMs, version } = options;
  const id = `upsget_${`${host}_${port}`.replace(/[^a-zA-Z0-9]+/g, '_').toLowerCase()}`;
  const sensors = readings.map(({ item }) => [
    item.name,
    {
      platform: 'sensor',
      unique_id: `${id}_${item.name}`,
      name: item.label,
      value_template: `{{ value_json['${item.name.replace(/[\\']/g, '')}'] }}`,
      ...measures[item.unit],
      ...(item.name === 'battery' ? { device_class: 'battery' } : {}),
      ...(expireMs === null ? {} : { expire_after: Math.ceil(expireMs / 1000) }),
    },
  ]);
  const payload = {
    device: {
      identifiers: [id],
      name: `UPS ${host}`,
      // The pages show neither model nor version of the UPS.
      model: 'UPS with serial-shutdown web UI',
      sw_version: `upsget ${version}`,
      configuration_url: `https://${formatAuthority(host, port)}/`,
    },
    origin: { name: 'upsget', sw_version: version },
    state_topic: topic,
    availability_topic: createAvailabilityMessage(topic, 'online').topic,
    components: Object.fromEntries(sensors),
  };
  return { topic: `homeassistant/device/${id}/config`, payload: JSON.stringify(payload), retain: true };
}

const volts = { device_class: 'voltage', unit_of_measurement: 'V', state_class: 'measurement' };

const measures: Readonly<Record<Unit, object>> = {
  string: {},
  '%': { unit_of_measurement: '%', state_class: 'measurement' },
  min: { device_class: 'duration', unit_of_measurement: 'min', state_class: 'measurement' },
  VAC: volts,
  VDC: volts,
  '°C': { device_class: 'temperature', unit_of_measurement: '°C', state_class: 'measurement' },
  Hz: { device_class: 'frequency', unit_of_measurement: 'Hz', state_class: 'measurement' },
  A: { device_class: 'current', unit_of_measurement: 'A', state_class: 'measurement' },
};
