// vendor_b's driver: the translation table with its times where the router shows them, neighbours now and then.
import { isPrivateIp } from '#kernel/net/address.ts';
import { toSnapshot } from './asking.ts';
import {
  type CollectOptions,
  type Detected,
  type RouterDriver,
  type Shell,
  ShellError,
  type Snapshot,
} from './driver.ts';
import { mergeUnparsed } from './reader.ts';
import { askIfKnown, prepareTerminal, readTranslations, type TableRead } from './vendor-b/commands.ts';
import { parseInterfaceBrief, parseNatStatistics, parseVersion } from './vendor-b/device.ts';
import { parseVendorBDhcp } from './vendor-b/dhcp.ts';
import { parseVendorBArp, parseVendorBNdp } from './vendor-b/neighbours.ts';

export const vendorB: RouterDriver = { kind: 'vendor_b', detect, collect };

async function collect(shell: Shell, options: CollectOptions): Promise<Snapshot> {
  const { memory } = options;
  await prepareTerminal(shell, options);
  memory.model ??= parseVersion(await askIfKnown(shell, 'show version', options)).model;
  const { table, notes } = await readTranslations(shell, options);
  const neighbours = options.neighbours ? await readNeighbours(shell, options) : null;
  const leases = options.leases ? parseVendorBDhcp(await askIfKnown(shell, 'show ip dhcp binding', options)) : null;
  return toSnapshot(shell, memory.model, { table, neighbours, leases, notes });
}

async function readNeighbours(shell: Shell, options: CollectOptions) {
  const arp = parseVendorBArp(await askIfKnown(shell, 'show ip arp', options));
  const at = options.now();
  const ndp = parseVendorBNdp(await askIfKnown(shell, 'show ipv6 neighbors', options));
  return { found: [...arp.neighbours, ...ndp.neighbours], at, unparsed: mergeUnparsed(arp.unparsed, ndp.unparsed) };
}

async function detect(shell: Shell, options: CollectOptions): Promise<Detected> {
  await prepareTerminal(shell, options);
  const version = parseVersion(await askIfKnown(shell, 'show version', options));
  const read = await readOrPrivilege(shell, options);
  return {
    hostFp: shell.hostFp,
    hostName: shell.hostName,
    model: version.model,
    version: version.version,
    lanIp: await readLanIp(shell, options),
    sessions: read?.table.sessions.length ?? 0,
    sessionsOk: read !== null,
    descriptor: null,
    candidates: [],
    fromConfig: [],
    privilegeError: read === null ? 'The NAT table cannot be read by this user: enter the enable secret.' : null,
    isExpectedOs: version.isExpectedOs,
    notes: read?.notes ?? [],
  };
}

/** `null` when this user may not read the table: detection reports that instead of failing. */
async function readOrPrivilege(shell: Shell, options: CollectOptions): Promise<TableRead | null> {
  try {
    return await readTranslations(shell, options);
  } catch (error) {
    if (error instanceof ShellError && error.failure === 'privilege') {
      return null;
    }
    throw error;
  }
}

/** The address of the first inside interface, else of the first one with a private address. */
async function readLanIp(shell: Shell, options: CollectOptions): Promise<string> {
  const { inside } = parseNatStatistics(await askIfKnown(shell, 'show ip nat statistics', options));
  const addresses = parseInterfaceBrief(await askIfKnown(shell, 'show ip interface brief', options));
  const onInside = inside.map((name) => addresses.find(({ interfaceName }) => interfaceName === name));
  const found = onInside.find((entry) => entry !== undefined) ?? addresses.find(({ address }) => isPrivateIp(address));
  return found?.address ?? '';
}
