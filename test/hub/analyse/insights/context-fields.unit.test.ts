// What each field of the facts for a provider is made from, in a small network of which everything is known.
import { expect, test } from 'vitest';
import type { Device } from '#contract/devices.ts';
import { limits } from '#contract/limits.ts';
import { buildContext, type ContextInput } from '#hub/analyse/insights/context.ts';
import { hourMs } from '#kernel/time/time.ts';
import { knownDevice } from '../../../support/context-parts.ts';

const [from, to] = [Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 1, 1, 23, 20)];
const counts = (first: number) => ({
  ...{ connections: first, devices: first + 1, destinations: first + 2 },
  ...{ safe: first + 3, warn: first + 4, danger: first + 5 },
});
const router = (kind: 'vendor_a' | 'vendor_b', enabled: boolean) => ({
  ...{ id: 'r', kind, displayName: 'Hall', enabled, ready: true, sessionCount: 3, lastSuccessAt: 4 },
});
const devices: Device[] = [
  knownDevice('tv', '192.168.1.20', {
    ...{ mac: '02-00-00-00-00-20', vendor: 'Acme', mdnsName: 'TV', dnsName: 'tv.lan', netbiosName: 'TVBOX' },
    ...{
      ipv6Addr: 'FD00:0::20',
      firstSeen: from - 5000,
      lastSeen: from,
      sourceList: ['nat', 'mesh'],
      status: 'recent',
    },
  }),
  knownDevice('pc', '192.168.1.21', { dnsName: 'pc.lan', netbiosName: 'PC', lastSeen: from + 1 }),
  knownDevice('nas', '192.168.1.22', { netbiosName: 'NAS', lastSeen: from + 2000 }),
  knownDevice('idle', '', { lastSeen: from + 3 }),
  knownDevice('box', '192.168.1.1'),
  knownDevice('old', '192.168.1.30', { status: 'archived', archivedAt: 5 }),
  knownDevice('part', '192.168.1.31', { status: 'archived', archivedAt: 5, mergedInto: 'tv' }),
];
const client = (mac: string, deviceId: string | null, node: string | null, ip: string | null = null) => ({
  ...{ mac, ip, name: 'TV', deviceId, node, band: '5' as const, signal: -50 },
});
const node = (id: string, name: string, clients: number, online = true) => ({
  ...{ id, name, mac: `02-00-00-00-01-${id}`, role: 'satellite' as const, online, clients },
});
const contact = (src: string, deviceId: string | null, connections: number) => ({ src, deviceId, connections });
const listed = {
  ...{ level: 'danger' as const, confidence: 'high' as const, source: 'feed_c2' as const, tag: 'Bot' },
  ...{ matchType: 'ip' as const, matchValue: 'x', port: null, url: null },
};
const threat = (dst: string, sources: ReturnType<typeof contact>[]) => ({
  ...{ dst, host: 'c2.example', connections: 9, threat: listed, sources },
});
const destination = (ip: string) => ({ ip, host: 'a.example', org: 'Example Inc', country: 'JP', connections: 7 });

const known: ContextInput = {
  facts: {
    ...{
      serverTime: to,
      sourceScope: null,
      judged: 'partial',
      judgedWhy: { reason: 'feeds_stale', feeds: [], message: 'x' },
    },
    range: { from, to, durationMs: to - from },
    previousRange: { from: -1, to: 9e15, durationMs: 2 * hourMs },
    collection: {
      ...{ health: 'partial', enabledCount: 3, readyCount: 2, reportedSessions: 7, lastUpdatedAt: 5 },
      routers: [router('vendor_b', true), router('vendor_a', true), router('vendor_b', true)],
    },
    ...{ current: counts(10), previous: counts(20) },
    topServices: [{ port: 443, protocol: 'TCP', connections: 3 }],
    topDestinations: [destination('192.168.1.1'), destination('203.0.113.1')],
    coverage: { share: 0.99999, message: null },
    previousCoverage: { share: null, message: 'x' },
  },
  activity: {
    devices: [
      { deviceId: 'nas', connections: 4 },
      { deviceId: 'tv', connections: 4 },
      { deviceId: 'pc', connections: 5 },
      { deviceId: 'box', connections: 50 },
    ],
    threats: [
      threat('192.168.1.1', []),
      threat('203.0.113.2', [
        contact('192.168.1.30', 'old', 9),
        contact('192.168.1.99', 'box', 8),
        contact('192.168.1.20', 'tv', 7),
        contact('192.168.1.77', null, 6),
      ]),
    ],
  },
  devices,
  observed: null,
  network: {
    nodes: [node('0b', 'Attic', 1), node('0c', 'Cellar', 2, false), node('0a', 'Hall', 1)],
    clients: [
      client('02:00:00:00:00:20', 'tv', 'Hall', '192.168.1.20'),
      client('02:00:00:00:00:21', 'old', 'Hall', '192.168.1.30'),
      client('02-00-00-00-01-0a', null, 'Hall', '192.168.1.40'),
      client('02:00:00:00:00:23', null, 'Attic', '192.168.1.1'),
      client('02:00:00:00:00:24', null, null),
      client('02:00:00:00:00:25', null, 'Cellar'),
    ],
    updatedAt: 1,
  },
  managed: ['192.168.1.1'],
};

const at = (ms: number) => new Date(ms).toISOString();
const sent = (name: string | null, ip: string | null, lastSeen: number, connections: number, more: object = {}) => ({
  ...{ ip, name, mac: null, vendor: null, ipv6: null, firstSeen: at(1000), lastSeen: at(lastSeen) },
  ...{ sources: ['dhcp'], status: 'active', connections, ...more },
});
const tv = {
  ...{ mac: '02:00:00:00:00:20', vendor: 'Acme', ipv6: 'fd00::20', firstSeen: at(from - 5000) },
  ...{ sources: ['nat', 'mesh'], status: 'recent' },
};
const named = { host: 'a.example', org: 'Example Inc', country: 'JP' };
const sample = { name: 'TV', ip: '192.168.1.20', mac: '02:00:00:00:00:20' };
const box = (name: string, mac: string, online: boolean, connectedDevices: number, sampleDevices: object[]) => ({
  ...{ name, role: 'satellite', mac: `02:00:00:00:01:${mac}`, online, connectedDevices, sampleDevices },
});

test('every field is sent from where it belongs, and what is withheld is in none', () => {
  expect(buildContext(known)).toEqual({
    ...{ schemaVersion: 3, sourceScope: null },
    range: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-01T01:23:20.000Z', hours: 1.39 },
    previousRange: { from: '1970-01-01T00:00:00.000Z', to: '+275760-09-13T00:00:00.000Z', hours: 2 },
    collection: { health: 'partial', enabledRouters: 3, readyRouters: 2, routerKinds: ['vendor_a', 'vendor_b'] },
    ...{ current: counts(10), previous: counts(20), topServices: known.facts.topServices },
    topDestinations: [{ ip: '203.0.113.1', ...named, connections: 7 }],
    threats: [
      {
        ...{ ip: '203.0.113.2', host: 'c2.example', connections: 9, level: 'danger', source: 'feed_c2', tag: 'Bot' },
        devices: [
          { ip: '192.168.1.20', name: 'TV', connections: 7 },
          { ip: '192.168.1.77', name: null, connections: 6 },
        ],
      },
    ],
    deviceInventory: {
      ...{ totalKnown: 4, includedActiveInRange: 3, included: 4 },
      devices: [
        sent('pc.lan', '192.168.1.21', from + 1, 5),
        sent('NAS', '192.168.1.22', from + 2000, 4),
        sent('TV', '192.168.1.20', from, 4, tv),
        sent(null, null, from + 3, 0),
      ],
    },
    networkTopology: {
      ...{ source: 'mesh', totalNodes: 3, includedNodes: 3, totalOnlineDevices: 4, unassignedDevices: 1 },
      nodes: [
        box('Cellar', '0c', false, 1, [{ name: 'TV', ip: null, mac: '02:00:00:00:00:25' }]),
        box('Hall', '0a', true, 1, [sample]),
        box('Attic', '0b', true, 1, [{ name: 'TV', ip: null, mac: '02:00:00:00:00:23' }]),
      ],
    },
    limits: {
      ...{ observedPercent: 99.99, previousObservedPercent: null, judged: 'partial', judgedWhy: 'feeds_stale' },
      shortened: [],
    },
    privacy: { notSent: expect.arrayContaining(['credentials', 'archived devices']) },
  });
});

test('of a scope the devices that its source saw are sent, and no mesh; nor is one whose access point was not read', () => {
  const sourceScope = { sourceKind: 'router' as const, sourceId: 'r1' };
  const collection = { ...known.facts.collection, routers: [router('vendor_a', false), router('vendor_b', true)] };
  const facts = { ...known.facts, collection, sourceScope, judged: 'full' as const, judgedWhy: null };
  const scoped = buildContext({ ...known, facts, observed: ['tv', 'old', 'box', 'gone'] });
  expect(scoped).toMatchObject({
    sourceScope,
    collection: { routerKinds: ['vendor_b'] },
    limits: { judged: 'full', judgedWhy: null },
  });
  expect(scoped.deviceInventory.devices.map(({ name }) => name)).toEqual(['TV']);
  expect(scoped).not.toHaveProperty('networkTopology');
  const unread = buildContext({ ...known, network: { nodes: [], clients: [], updatedAt: null } });
  expect(unread).not.toHaveProperty('networkTopology');
  expect(unread.deviceInventory.totalKnown).toBe(4);
});

test('lists that are longer than they may be are cut after what is withheld was left out', () => {
  const many = Array.from({ length: 61 }, (_, index) => `203.0.113.${index}`);
  const routers = ['192.168.1.1', '192.168.1.1'];
  const facts = {
    ...known.facts,
    topServices: many.map((_, port) => ({ port, protocol: 'TCP', connections: 1 })),
    topDestinations: [...routers, ...many].map(destination),
    coverage: { share: 1, message: null },
  };
  const sources = [...routers, ...many].map((src, index) => contact(src, null, index));
  const threats = [...routers, ...many].map((dst) => threat(dst, sources));
  const context = buildContext({ ...known, facts, activity: { ...known.activity, threats } });
  expect(context.limits.observedPercent).toBe(100);
  expect(context.topServices).toEqual(facts.topServices.slice(0, limits.factsServices));
  const ips = (rows: { ip: string }[]) => rows.map(({ ip }) => ip);
  expect(ips(context.topDestinations)).toEqual(many.slice(0, limits.factsDestinations));
  expect(ips(context.threats)).toEqual(many.slice(0, limits.aiThreats));
  expect(ips(context.threats[0]?.devices ?? [])).toEqual(many.slice(0, limits.aiThreatDevices));
});
