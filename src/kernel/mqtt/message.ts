// Messages for an MQTT broker, and those by which Home Assistant learns of a device. upsget and the hub publish them.

export interface Message {
  topic: string;
  payload: string;
  retain: boolean;
}

/** The availability, in a separate topic; retained, so that Home Assistant has it after a restart. */
export function createAvailabilityMessage(topic: string, state: 'online' | 'offline'): Message {
  return { topic: `${topic}/availability`, payload: state, retain: true };
}

export interface DiscoveredDevice {
  /** Also its identifier at Home Assistant, and the beginning of the ids of its components. */
  id: string;
  /** Without `identifiers`. */
  device: Readonly<Record<string, string>>;
  origin: Readonly<Record<string, string>>;
  /** The availability is at `<topic>/availability`. */
  topic: string;
  /** What all components share, such as `state_topic`. */
  shared: Readonly<Record<string, unknown>>;
  /** By name; their `unique_id` is added. */
  components: Readonly<Record<string, object>>;
}

/** A retained message for `homeassistant/device/…/config` (Home Assistant 2024.11 or later). */
export function createDiscoveryMessage({ id, device, origin, topic, shared, components }: DiscoveredDevice): Message {
  const identified = Object.entries(components).map(([name, one]) => [name, { unique_id: `${id}_${name}`, ...one }]);
  const payload = {
    device: { identifiers: [id], ...device },
    origin,
    ...shared,
    availability_topic: createAvailabilityMessage(topic, 'online').topic,
    components: Object.fromEntries(identified),
  };
  return { topic: `homeassistant/device/${id}/config`, payload: JSON.stringify(payload), retain: true };
}

/** An id for Home Assistant, of letters, digits and `_`. */
export function toDeviceId(program: string, name: string): string {
  return `${program}_${name.replace(/[^a-zA-Z0-9]+/g, '_').toLowerCase()}`;
}
