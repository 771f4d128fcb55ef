// Decides which devices and addresses are not sent: archived devices, and devices that are a router or a mesh node.
import type { Device } from '#contract/devices.ts';
import type { MeshNetwork } from '#contract/mesh.ts';
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';

export type Withheld = ReturnType<typeof findWithheld>;

interface Input {
  devices: readonly Device[];
  network: MeshNetwork;
  managed: readonly string[];
}

/**
 * A device that holds such an address, or whose interface is one of a mesh node, is a router or a node: it is left out
 * whole, and so are its other addresses. An archived device leaves no trace but where a device that is shown has its
 * address. What was merged into a device is part of it.
 */
export function findWithheld({ devices, network, managed }: Input) {
  const addresses = new Set(managed.flatMap((ip) => canonicalIp(ip) ?? []));
  const nodes = new Set(network.nodes.flatMap(({ mac }) => canonicalMac(mac) ?? []));
  const isManaged = (device: Device) =>
    listAddresses(device).some((ip) => addresses.has(ip)) || listMacs(device).some((mac) => nodes.has(mac));
  const machines = [...Map.groupBy(devices, createRootFinder(devices))];
  const managedOnes = machines.filter(([, parts]) => parts.some(isManaged));
  const hidden = machines
    .filter(([root, parts]) => root.archivedAt !== null || parts.some(isManaged))
    .flatMap(([, parts]) => parts);
  const ids = new Set(hidden.map(({ deviceId }) => deviceId));
  const shown = devices.filter(({ deviceId }) => !ids.has(deviceId));
  const shownIps = new Set(shown.flatMap(listAddresses));
  const shownMacs = new Set(shown.flatMap(listMacs));
  const hiddenIps = new Set([
    ...addresses,
    ...managedOnes.flatMap(([, parts]) => parts).flatMap(listAddresses),
    ...hidden.flatMap(listAddresses).filter((ip) => !shownIps.has(ip)),
  ]);
  const hiddenMacs = new Set([...nodes, ...hidden.flatMap(listMacs).filter((mac) => !shownMacs.has(mac))]);
  return {
    /** Returns the canonical form; null when `ip` is no address, or is an address that is not sent. */
    toSendableIp(ip: string) {
      const canonical = canonicalIp(ip);
      return hiddenIps.has(canonical ?? '') ? null : canonical;
    },
    /** Whether this device is not sent. */
    hasDevice: (deviceId: string | null) => ids.has(deviceId ?? ''),
    /** Whether the interface belongs to a device that is not sent. */
    hasMac: (mac: string) => hiddenMacs.has(canonicalMac(mac) ?? ''),
  };
}

/** The device that each one is part of: itself, or the end of its chain of merges. */
function createRootFinder(devices: readonly Device[]): (device: Device) => Device {
  const byId = new Map(devices.map((device) => [device.deviceId, device]));
  return (device) => {
    const passed = new Set<Device>();
    let root = device;
    for (let next: Device | undefined = device; next && !passed.has(next); next = byId.get(next.mergedInto ?? '')) {
      passed.add(next);
      root = next;
    }
    return root;
  };
}

function listAddresses({ ip, ipv6Addr, ipv6Addrs }: Device): string[] {
  return [ip, ipv6Addr ?? '', ...(ipv6Addrs ?? [])].flatMap((address) => canonicalIp(address) ?? []);
}

function listMacs({ mac, interfaces }: Device): string[] {
  return [mac ?? '', ...interfaces.map((one) => one.mac)].flatMap((text) => canonicalMac(text) ?? []);
}
