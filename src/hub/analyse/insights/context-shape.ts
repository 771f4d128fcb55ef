// What an analysis sends of the network, in schema 3: every field that may leave the hub is named here
// (docs/reference/wire-contract/4-endpoints.md#what-is-sent).
import type { Facts } from '#contract/ai.ts';

/** Instants are ISO 8601 in UTC. */
export interface ContextPeriod {
  from: string;
  to: string;
  hours: number;
}

export interface ContextDestination {
  ip: string;
  host: string | null;
  org: string | null;
  country: string | null;
  connections: number;
}

export interface ContextThreat {
  ip: string;
  host: string | null;
  connections: number;
  level: string;
  /** The feed that lists it, and what it calls it. */
  source: string;
  tag: string | null;
  /** Who talked to it, most connections first; at most 5. */
  devices: { ip: string; name: string | null; connections: number }[];
}

export interface ContextDevice {
  ip: string | null;
  name: string | null;
  mac: string | null;
  vendor: string | null;
  ipv6: string | null;
  firstSeen: string;
  lastSeen: string;
  sources: string[];
  status: string;
  /** In the period. */
  connections: number;
}

export interface ContextNode {
  name: string | null;
  role: string;
  mac: string | null;
  online: boolean;
  connectedDevices: number;
  /** At most 5. */
  sampleDevices: { name: string | null; ip: string | null; mac: string | null }[];
}

export interface Context {
  schemaVersion: 3;
  sourceScope: { sourceKind: string; sourceId: string } | null;
  range: ContextPeriod;
  previousRange: ContextPeriod;
  collection: { health: string; enabledRouters: number; readyRouters: number; routerKinds: string[] };
  current: Facts['current'];
  previous: Facts['previous'];
  /** At most 20. */
  topServices: { port: number; protocol: string; connections: number }[];
  /** At most 15. */
  topDestinations: ContextDestination[];
  /** Listed destinations, those of level danger first; at most 40. */
  threats: ContextThreat[];
  deviceInventory: {
    totalKnown: number;
    includedActiveInRange: number;
    included: number;
    /** Most connections first; at most 30. */
    devices: ContextDevice[];
  };
  /** Left out in a scope, and while no mesh access point was read. */
  networkTopology?: {
    source: string;
    totalNodes: number;
    includedNodes: number;
    totalOnlineDevices: number;
    unassignedDevices: number;
    /** Most devices first; at most 10. */
    nodes: ContextNode[];
  };
  /** What the facts cannot say. */
  limits: {
    /** Share of the time of the routers that was observed, percent; null: nobody looked. */
    observedPercent: number | null;
    previousObservedPercent: number | null;
    /** Whether "safe" was looked up in all threat feeds. */
    judged: string;
    judgedWhy: string | null;
    /** Lists that were shortened so that the facts fit. */
    shortened: string[];
  };
  privacy: { notSent: readonly string[] };
}
