// What Home Assistant accepts as a device discovery message, after its public documentation:
// https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload and the pages of the platforms
// https://www.home-assistant.io/integrations/sensor.mqtt/ and https://www.home-assistant.io/integrations/event.mqtt/.
import { z } from 'zod';

const text = z.string().min(1);
/** Names a topic to listen to; ours have no wildcard. */
const topic = text.regex(/^[^+#\0]+$/);
const template = text.regex(/^\{\{ .* \}\}$/);
const qos = z.literal([0, 1, 2]);

/** Units of each device class that is used here: https://www.home-assistant.io/integrations/sensor/#device-class. */
const unitsByClass: Readonly<Record<string, readonly (string | undefined)[]>> = {
  battery: ['%'],
  voltage: ['V', 'mV', 'µV', 'kV', 'MV'],
  current: ['A', 'mA'],
  frequency: ['Hz', 'kHz', 'MHz', 'GHz'],
  temperature: ['°C', '°F', 'K'],
  duration: ['d', 'h', 'min', 's', 'ms', 'µs'],
  enum: [undefined],
};

const component = {
  unique_id: text.regex(/^[a-z0-9_-]+$/i),
  name: text,
  state_topic: topic.optional(),
  value_template: template.optional(),
  json_attributes_topic: topic.optional(),
};

const sensor = z
  .strictObject({
    platform: z.literal('sensor'),
    ...component,
    device_class: z.enum(Object.keys(unitsByClass)).optional(),
    unit_of_measurement: text.optional(),
    state_class: z.enum(['measurement', 'measurement_angle', 'total', 'total_increasing']).optional(),
    expire_after: z.int().positive().optional(),
    options: z.array(text).min(1).optional(),
  })
  .refine((one) => !one.device_class || unitsByClass[one.device_class]?.includes(one.unit_of_measurement), {
    error: 'the unit is not one of the device class',
  })
  .refine((one) => (one.options !== undefined) === (one.device_class === 'enum'), {
    error: 'options belong to the device class enum, and to no other',
  })
  .refine((one) => !one.options || (!one.state_class && !one.unit_of_measurement), {
    error: 'options exclude state_class and unit_of_measurement',
  });

const event = z.strictObject({ platform: z.literal('event'), ...component, event_types: z.array(text).min(1) });

export const deviceDiscoverySchema = z
  .strictObject({
    device: z.strictObject({
      identifiers: z.array(text).min(1),
      name: text,
      model: text,
      sw_version: text,
      configuration_url: z.url({ protocol: /^(?:https?|homeassistant)$/ }).optional(),
    }),
    origin: z.strictObject({ name: text, sw_version: text.optional(), support_url: z.url().optional() }),
    state_topic: topic.optional(),
    availability_topic: topic,
    qos: qos.optional(),
    components: z.record(text.regex(/^[a-zA-Z0-9_-]+$/), z.discriminatedUnion('platform', [sensor, event])),
  })
  .refine((one) => Object.values(one.components).every(({ state_topic }) => state_topic ?? one.state_topic), {
    error: 'a component has no state_topic, and none is shared',
  })
  .refine(
    ({ components }) => {
      const ids = Object.values(components).map(({ unique_id }) => unique_id);
      return new Set(ids).size === ids.length;
    },
    { error: 'two components have one unique_id' },
  );

/** `homeassistant/device/<object_id>/config`. */
export const discoveryTopic = /^homeassistant\/device\/[a-zA-Z0-9_-]+\/config$/;
