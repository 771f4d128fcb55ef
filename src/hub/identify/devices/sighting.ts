// A sighting: a MAC, an address, or both, with further facts; the common form of all sources.
import type { DeviceSource } from '#contract/device-sources.ts';
import type { Wifi } from '#contract/devices.ts';

/** Facts that only some sources have; absent ones are unchanged. */
export interface InterfaceFacts {
  dhcpName?: string;
  /** DHCP client identifier other than a MAC. */
  clientId?: string;
  meshName?: string;
  mdnsName?: string;
  netbiosName?: string;
  wifi?: Wifi;
}

export interface Sighting {
  /** Canonical; null when only the interface is known. */
  address: string | null;
  /** Lower-case colon form; null when only the address is known. */
  mac: string | null;
  /** When it was active, epoch milliseconds; null for an entry that outlives its host, such as a lease. */
  heardAt: number | null;
  sources: readonly DeviceSource[];
  /** The router, Agent or access point that reported it. */
  observerId: string;
  facts?: InterfaceFacts;
  /** Says who had the address, not who has it: it does not replace the holder. */
  isWeak?: boolean;
  /** The Agent on the device itself: all it reports is one device. */
  agentId?: string;
}
