// What is sent of the network, from what the hub knows of it: a pure function that copies field by field.
import type { Facts } from '#contract/ai.ts';
import type { Device } from '#contract/devices.ts';
import { limits } from '#contract/limits.ts';
import type { MeshNetwork } from '#contract/mesh.ts';
import { topBy } from '#kernel/columns/top-k.ts';
import { canonicalMac } from '#kernel/net/address.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { Activity, ThreatActivity } from '../../record/connections/query/activity.ts';
import type { Context, ContextDevice, ContextPeriod, ContextThreat } from './context-shape.ts';
import { type ContextTexts, createContextTexts } from './context-text.ts';
import { toTopology } from './context-topology.ts';
import { countIncluded, fitContext } from './context-trim.ts';
import { findWithheld, type Withheld } from './context-withheld.ts';

export interface ContextInput {
  facts: Facts;
  /** Of the current period. */
  activity: Activity;
  /** As the hub shows them. Archived ones are included, so that their addresses can be withheld. */
  devices: readonly Device[];
  /** Ids of the devices that the source of the scope saw; null without a scope. */
  observed: readonly string[] | null;
  network: MeshNetwork;
  /** Addresses that routers and the mesh access point are managed at, canonical. */
  managed: readonly string[];
}

const notSent = [
  'credentials',
  'notes of devices',
  'archived devices',
  'addresses that routers and mesh nodes are managed at',
  'lines of logs and tables of routers',
] as const;

/** At most `limits.aiContextBytes` as `formatFacts`. */
export function buildContext(input: ContextInput): Context {
  const { facts, network } = input;
  const texts = createContextTexts(new Set(input.managed));
  const hidden = findWithheld(input);
  const topology = facts.sourceScope === null ? toTopology(network, texts, hidden) : undefined;
  return fitContext({
    schemaVersion: 3,
    sourceScope: facts.sourceScope && {
      sourceKind: texts.word(facts.sourceScope.sourceKind),
      sourceId: texts.word(facts.sourceScope.sourceId),
    },
    range: toContextPeriod(facts.range),
    previousRange: toContextPeriod(facts.previousRange),
    collection: toContextCollection(facts.collection, texts),
    current: pickCounts(facts.current),
    previous: pickCounts(facts.previous),
    topServices: facts.topServices
      .slice(0, limits.factsServices)
      .map(({ port, protocol, connections }) => ({ port, protocol: texts.word(protocol), connections })),
    topDestinations: toDestinations(facts.topDestinations, texts, hidden),
    threats: toThreats(input, texts, hidden),
    deviceInventory: toInventory(input, texts, hidden),
    ...(topology && { networkTopology: topology }),
    limits: {
      observedPercent: toPercent(facts.coverage.share),
      previousObservedPercent: toPercent(facts.previousCoverage.share),
      judged: texts.word(facts.judged),
      judgedWhy: facts.judgedWhy && texts.word(facts.judgedWhy.reason),
      shortened: [],
    },
    privacy: { notSent },
  });
}

function toContextPeriod({ from, to, durationMs }: Facts['range']): ContextPeriod {
  return { from: formatInstant(from), to: formatInstant(to), hours: Math.round((durationMs / hourMs) * 100) / 100 };
}

/** The latest instant that a `Date` can hold. */
const latest = 8.64e15;

function formatInstant(at: number): string {
  return isoTime(Math.min(Math.max(at, 0), latest));
}

function toContextCollection({ health, enabledCount, readyCount, routers }: Facts['collection'], texts: ContextTexts) {
  const kinds = routers.filter(({ enabled }) => enabled).map(({ kind }) => texts.word(kind));
  return {
    health: texts.word(health),
    enabledRouters: enabledCount,
    readyRouters: readyCount,
    routerKinds: [...new Set(kinds)].sort(),
  };
}

function pickCounts({ connections, devices, destinations, safe, warn, danger }: Facts['current']) {
  return { connections, devices, destinations, safe, warn, danger };
}

/** Rounded down to a hundredth: 100 means that the whole period was observed. */
function toPercent(share: number | null): number | null {
  return share === null ? null : Math.floor(share * 10_000) / 100;
}

function toDestinations(rows: Facts['topDestinations'], texts: ContextTexts, hidden: Withheld) {
  return rows
    .flatMap(({ ip, host, org, country, connections }) => {
      const address = hidden.toSendableIp(ip);
      const names = { host: texts.host(host), org: texts.name(org), country: texts.name(country) };
      return address === null ? [] : [{ ip: address, ...names, connections }];
    })
    .slice(0, limits.factsDestinations);
}

function toThreats({ activity, devices }: ContextInput, texts: ContextTexts, hidden: Withheld): ContextThreat[] {
  const names = new Map(devices.map((device) => [device.deviceId, chooseName(device)]));
  const contacts = (sources: ThreatActivity['sources']) =>
    sources.flatMap(({ src, deviceId, connections }) => {
      const ip = hidden.hasDevice(deviceId) ? null : hidden.toSendableIp(src);
      return ip === null ? [] : [{ ip, name: texts.name(names.get(deviceId ?? '') ?? null), connections }];
    });
  return activity.threats
    .flatMap(({ dst, host, connections, threat, sources }) => {
      const ip = hidden.toSendableIp(dst);
      const listed = {
        level: texts.word(threat.level),
        source: texts.word(threat.source),
        tag: texts.name(threat.tag),
      };
      const by = contacts(sources).slice(0, limits.aiThreatDevices);
      return ip === null ? [] : [{ ip, host: texts.host(host), connections, ...listed, devices: by }];
    })
    .slice(0, limits.aiThreats);
}

function toInventory({ activity, devices, observed }: ContextInput, texts: ContextTexts, hidden: Withheld) {
  const inScope = observed && new Set(observed);
  const counts = new Map(activity.devices.map(({ deviceId, connections }) => [deviceId, connections]));
  const known = devices.filter(
    ({ deviceId, archivedAt }) =>
      archivedAt === null && !hidden.hasDevice(deviceId) && (inScope?.has(deviceId) ?? true),
  );
  const countConnections = ({ deviceId }: Device) => counts.get(deviceId) ?? 0;
  const included = topBy(
    known,
    limits.aiDevices,
    countConnections,
    ({ lastSeen, deviceId }) =>
      // The later it was seen, the smaller the text.
      `${String(Number.MAX_SAFE_INTEGER - lastSeen).padStart(16, '0')} ${deviceId}`,
  ).map((device) => toContextDevice(device, countConnections(device), texts, hidden));
  return { totalKnown: known.length, ...countIncluded(included), devices: included };
}

function toContextDevice(device: Device, connections: number, texts: ContextTexts, hidden: Withheld): ContextDevice {
  return {
    ip: hidden.toSendableIp(device.ip),
    name: texts.name(chooseName(device)),
    mac: canonicalMac(device.mac ?? ''),
    vendor: texts.name(device.vendor),
    ipv6: hidden.toSendableIp(device.ipv6Addr ?? ''),
    firstSeen: formatInstant(device.firstSeen),
    lastSeen: formatInstant(device.lastSeen),
    sources: device.sourceList.map((source) => texts.word(source)),
    status: texts.word(device.status),
    connections,
  };
}

function chooseName({ dnsName, mdnsName, netbiosName }: Device): string | null {
  return mdnsName ?? dnsName ?? netbiosName;
}
