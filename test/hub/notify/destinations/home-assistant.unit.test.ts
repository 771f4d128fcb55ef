// Discovery messages of the hub and of upsget against what Home Assistant documents.
import { expect, test } from 'vitest';
import { createHubDiscovery } from '#hub/notify/destinations/mqtt/home-assistant.ts';
import { createUpsDiscovery } from '#upsget/discovery.ts';
import type { Unit } from '#upsget/items.ts';
import { deviceDiscoverySchema, discoveryTopic } from '../../../support/home-assistant.ts';
import { verifies } from '../../../support/verifies.ts';

const units: Record<Unit, true> = {
  string: true,
  '%': true,
  min: true,
  VAC: true,
  VDC: true,
  '°C': true,
  Hz: true,
  A: true,
};

verifies('rest.telling.home-assistant', 'the hub and every unit of upsget fit the documented schema', () => {
  const readings = Object.keys(units).map((unit, index) => ({
    item: { name: `value_${index}`, elementIds: [], unit: unit as Unit, label: unit },
    text: '1',
  }));
  const battery = { item: { name: 'battery', elementIds: [], unit: '%' as const, label: 'Battery' }, text: '1' };
  const ups = { host: 'fe80::1', port: 6547, topic: 'upsget/ups', version: '1.2.3' };
  const messages = [
    createHubDiscovery('gatehouse', '1.2.3', 'https://hub.example:8443/'),
    createHubDiscovery('home/net', '1.2.3', undefined),
    createUpsDiscovery([...readings, battery], { ...ups, expireMs: null }),
    createUpsDiscovery(readings, { ...ups, expireMs: 33_500 }),
  ];
  for (const { topic, payload, retain } of messages) {
    expect.soft(topic).toMatch(discoveryTopic);
    expect.soft(retain).toBe(true);
    expect.soft(deviceDiscoverySchema.safeParse(JSON.parse(payload)).error).toBeUndefined();
  }
  expect(messages[0]?.topic).toBe('homeassistant/device/gatehouse_gatehouse/config');
});

test('the schema refuses what Home Assistant refuses', () => {
  const { payload } = createHubDiscovery('gatehouse', '1.2.3', undefined);
  const refused: ((config: ReturnType<typeof deviceDiscoverySchema.parse>) => void)[] = [
    (config) => void config.device.identifiers.pop(),
    (config) => void delete config.components.alert?.state_topic,
    (config) => Object.assign(config.components.alert ?? {}, { event_types: [] }),
    (config) => Object.assign(config.components.level ?? {}, { unit_of_measurement: 'V' }),
    (config) => Object.assign(config.components.level ?? {}, { unique_id: config.components.alert?.unique_id }),
    (config) => Object.assign(config, { origin: {} }),
  ];
  for (const change of refused) {
    const config = JSON.parse(payload);
    change(config);
    expect.soft(deviceDiscoverySchema.safeParse(config).success, String(change)).toBe(false);
  }
});
