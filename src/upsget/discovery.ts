// Home Assistant's MQTT discovery: one message that announces the UPS as a device with a sensor for each value.

import { createDiscoveryMessage, type Message, toDeviceId } from '#kernel/mqtt/message.ts';
import { formatAuthority } from './host.ts';
import type { Reading, Unit } from './items.ts';

export interface DiscoveryOptions {
  /** Address of the UPS; the ids are derived from it, so that they are stable. */
  host: string;
  port: number;
  topic: string;
  /** Values expire after this time; null: never. */
  expireMs: number | null;
  version: string;
}

/** Announces the UPS to Home Assistant, with a sensor for each reading. */
export function createUpsDiscovery(readings: readonly Reading[], options: DiscoveryOptions): Message {
  const { host, port, topic, expireMs, version } = options;
  const sensors = readings.map(({ item }) => [
    item.name,
    {
      platform: 'sensor',
      name: item.label,
      value_template: `{{ value_json['${item.name.replace(/[\\']/g, '')}'] }}`,
      ...measures[item.unit],
      ...(item.name === 'battery' ? { device_class: 'battery' } : {}),
      ...(expireMs === null ? {} : { expire_after: Math.ceil(expireMs / 1000) }),
    },
  ]);
  return createDiscoveryMessage({
    id: toDeviceId('upsget', `${host}_${port}`),
    device: {
      name: `UPS ${host}`,
      // The pages show neither model nor version of the UPS.
      model: 'UPS with serial-shutdown web UI',
      sw_version: `upsget ${version}`,
      configuration_url: `https://${formatAuthority(host, port)}/`,
    },
    origin: { name: 'upsget', sw_version: version },
    topic,
    shared: { state_topic: topic },
    components: Object.fromEntries(sensors),
  });
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
