// What the sources of devices tell, in one form: a MAC, an address, or both, with what else is known of them.
import type { DeviceSource } from '#contract/device-sources.ts';
import type { Wifi } from '#contract/devices.ts';

/** What only some sources know of an interface; what is absent stays as it was. */
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
  /** When it gave a sign of life, epoch milliseconds; null for an entry that outlives its host, such as a lease. */
  heardAt: number | null;
  sources: readonly DeviceSource[];
  /** The router, Agent or access point that says so. */
  observerId: string;
  facts?: InterfaceFacts;
  /** Says who had the address, not who has it: gives way to whoever holds it. */
  isWeak?: boolean;
  /** The Agent on the device itself: all it reports is one device. */
  agentId?: string;
}
