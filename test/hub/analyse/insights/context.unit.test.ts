// What of the network may leave the hub: nothing but the fields that are named, whatever the hub holds besides.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { buildContext, type ContextInput } from '#hub/analyse/insights/context.ts';
import type { Context } from '#hub/analyse/insights/context-shape.ts';
import { fitContext, formatFacts } from '#hub/analyse/insights/context-trim.ts';
import { leaksIn, type World, worlds } from '../../../support/ai-worlds.ts';
import { knownDevice } from '../../../support/context-parts.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { verifies } from '../../../support/verifies.ts';

/** Paths of all members; the numbers of list entries are left out. */
function listPaths(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((one) => listPaths(one, `${path}[]`));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, one]) => listPaths(one, path === '' ? name : `${path}.${name}`));
  }
  return [path];
}

const counts = ['connections', 'devices', 'destinations', 'safe', 'warn', 'danger'];
const allowed = new Set([
  ...['schemaVersion', 'sourceScope', 'sourceScope.sourceKind', 'sourceScope.sourceId'],
  ...['range', 'previousRange'].flatMap((range) => ['from', 'to', 'hours'].map((name) => `${range}.${name}`)),
  ...['health', 'enabledRouters', 'readyRouters', 'routerKinds[]'].map((name) => `collection.${name}`),
  ...['current', 'previous'].flatMap((period) => counts.map((name) => `${period}.${name}`)),
  ...['port', 'protocol', 'connections'].map((name) => `topServices[].${name}`),
  ...['ip', 'host', 'org', 'country', 'connections'].map((name) => `topDestinations[].${name}`),
  ...['ip', 'host', 'connections', 'level', 'source', 'tag'].map((name) => `threats[].${name}`),
  ...['ip', 'name', 'connections'].map((name) => `threats[].devices[].${name}`),
  ...['totalKnown', 'includedActiveInRange', 'included'].map((name) => `deviceInventory.${name}`),
  ...['ip', 'name', 'mac', 'vendor', 'ipv6', 'firstSeen', 'lastSeen', 'sources[]', 'status', 'connections'].map(
    (name) => `deviceInventory.devices[].${name}`,
  ),
  ...['source', 'totalNodes', 'includedNodes', 'totalOnlineDevices', 'unassignedDevices'].map(
    (name) => `networkTopology.${name}`,
  ),
  ...['name', 'role', 'mac', 'online', 'connectedDevices'].map((name) => `networkTopology.nodes[].${name}`),
  ...['name', 'ip', 'mac'].map((name) => `networkTopology.nodes[].sampleDevices[].${name}`),
  ...['observedPercent', 'previousObservedPercent', 'judged', 'judgedWhy', 'shortened[]'].map(
    (name) => `limits.${name}`,
  ),
  'privacy.notSent[]',
]);

verifies(
  'rest.ai-analyze.excluded rest.ai-analyze.fields',
  `${budget(150, 1000, 'random worlds full of secrets')}: no mark and no other field leaves, and every limit holds`,
  () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const context = buildContext(world.input);
        const text = formatFacts(context);
        expect(leaksIn(text, world)).toEqual([]);
        expect(listPaths(context).filter((path) => !allowed.has(path))).toEqual([]);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.aiContextBytes);
        expect(text.split(/[\n\r\u2028\u2029\u0085]/)).toHaveLength(1);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
        expect(JSON.parse(text)).toEqual(context);
        const { deviceInventory, networkTopology, threats, topDestinations } = context;
        expect(deviceInventory.devices.length).toBeLessThanOrEqual(30);
        expect(deviceInventory.included).toBe(deviceInventory.devices.length);
        expect(threats.length).toBeLessThanOrEqual(40);
        expect(topDestinations.length).toBeLessThanOrEqual(15);
        expect(threats.every(({ devices }) => devices.length <= 5)).toBe(true);
        expect(networkTopology === undefined).toBe(context.sourceScope !== null);
        const nodes = networkTopology?.nodes ?? [];
        expect(nodes.length).toBeLessThanOrEqual(10);
        expect(nodes.every(({ sampleDevices }) => sampleDevices.length <= 5)).toBe(true);
      }),
      { numRuns: runs(150, 1000) },
    );
  },
);

/** A world in which every list is longer than its limit and every name as long as `letters`. */
function fullWorld(letters: string): ContextInput {
  const [world] = fc.sample(worlds, { seed: 22, numRuns: 1 });
  const { input } = world as World;
  const ip = (index: number) => `192.168.7.${index + 1}`;
  const device = (index: number) =>
    knownDevice(`device-${index}`, ip(index), {
      ...{ mac: `02:00:00:00:00:${(index + 16).toString(16)}`, vendor: letters, dnsName: letters },
      ...{ mdnsName: `${index}${letters}`, lastSeen: 2000 + index },
    });
  const devices = Array.from({ length: 60 }, (_, index) => device(index));
  const sources = devices.slice(0, 9).map(({ ip: src, deviceId }) => ({ src, deviceId, connections: 1 }));
  const threat = {
    ...{ level: 'danger' as const, confidence: 'high' as const, source: 'feed_c2' as const, tag: letters },
    ...{ matchType: 'ip' as const, matchValue: 'x', port: null, url: null },
  };
  return {
    facts: {
      ...input.facts,
      sourceScope: null,
      topDestinations: Array.from({ length: 15 }, (_, index) => ({
        ...{ ip: `203.0.113.${index}`, host: letters, org: letters, country: 'JP', connections: 100 - index },
      })),
      topServices: Array.from({ length: 20 }, (_, port) => ({ port, protocol: 'TCP', connections: 20 - port })),
    },
    activity: {
      devices: devices.map(({ deviceId }, index) => ({ deviceId, connections: index })),
      threats: Array.from({ length: 60 }, (_, index) => ({
        ...{ dst: `198.51.100.${index}`, host: letters, connections: 60 - index, threat, sources },
      })),
    },
    devices,
    observed: null,
    network: {
      nodes: Array.from({ length: 12 }, (_, index) => ({
        ...{
          id: `n${index}`,
          name: `${index}${letters}`,
          mac: `02:00:00:00:01:${index + 16}`,
          role: 'satellite' as const,
        },
        ...{ online: true, clients: 5 },
      })),
      clients: devices.map(({ mac, ip: held, mdnsName, deviceId }, index) => ({
        ...{
          mac: mac ?? '',
          ip: held,
          name: mdnsName,
          deviceId,
          node: `${index % 10}${letters}`,
          band: null,
          signal: null,
        },
      })),
      updatedAt: 5,
    },
    managed: [],
  };
}

const lists = ({ topDestinations, threats, deviceInventory, networkTopology }: Context) => ({
  destinations: topDestinations.length,
  threats: threats.length,
  contacts: threats[0]?.devices.length,
  devices: deviceInventory.devices.length,
  nodes: networkTopology?.nodes.length,
  samples: networkTopology?.nodes[0]?.sampleDevices.length,
});

verifies(
  'rest.ai-analyze.30-devices rest.ai-analyze.10-nodes rest.ai-analyze.by-activity',
  'lists are cut at their limits, what has most connections first',
  () => {
    const context = buildContext(fullWorld('name'));
    expect(lists(context)).toEqual({ destinations: 15, threats: 40, contacts: 5, devices: 30, nodes: 10, samples: 5 });
    expect(context.limits.shortened).toEqual([]);
    expect(context.deviceInventory).toMatchObject({ totalKnown: 60, included: 30, includedActiveInRange: 30 });
    expect(context.deviceInventory.devices.map(({ connections }) => connections)).toEqual(
      Array.from({ length: 30 }, (_, index) => 59 - index),
    );
    expect(context.networkTopology).toMatchObject({ totalNodes: 12, includedNodes: 10, totalOnlineDevices: 60 });
  },
);

const [contacts, samples, inventory] = [
  'threats[].devices',
  'networkTopology.nodes[].sampleDevices',
  'deviceInventory.devices',
];
/**
 * What is shortened first, what it is called, and how long the lists are then: the order of
 * docs/reference/wire-contract/4-endpoints.md#what-is-sent.
 */
const cuts = [
  [contacts, { contacts: 0 }],
  [samples, { samples: 0 }],
  [inventory, { devices: 10 }],
  ['threats', { threats: 10 }],
  ['topDestinations', { destinations: 5 }],
  [inventory, { devices: 3 }],
  ['threats', { threats: 3 }],
] as const;

test('what does not fit into 48 KiB by one byte is dropped in the documented order, and it is said', () => {
  const whole = buildContext(fullWorld('name'));
  const padded = (bytes: number) => fitContext({ ...whole, privacy: { notSent: [`é${'x'.repeat(bytes)}`] } });
  const countSpareBytes = (context: Context) => limits.aiContextBytes - Buffer.byteLength(formatFacts(context));
  const names: string[] = [];
  let expected = lists(whole);
  let bytes = countSpareBytes(padded(0));
  expect(padded(bytes).limits.shortened).toEqual([]);
  for (const [name, length] of cuts) {
    expected = { ...expected, ...length };
    names.push(...(names.includes(name) ? [] : [name]));
    const cut = padded(bytes + 1);
    expect(lists(cut)).toEqual(expected);
    expect(cut.limits.shortened).toEqual(names);
    expect(cut.deviceInventory).toMatchObject({
      ...{ totalKnown: 60, included: expected.devices, includedActiveInRange: expected.devices },
    });
    // As much more as fits without another cut.
    bytes += 1 + countSpareBytes(cut);
    expect([countSpareBytes(padded(bytes)), lists(padded(bytes))]).toEqual([0, expected]);
  }
  expect(lists(padded(bytes + 1))).toEqual(expected);
  const { networkTopology: _, ...rest } = whole;
  const scoped = fitContext({ ...rest, privacy: { notSent: ['x'.repeat(limits.aiContextBytes)] } });
  expect(lists(scoped)).toEqual({ ...expected, nodes: undefined, samples: undefined });
});
