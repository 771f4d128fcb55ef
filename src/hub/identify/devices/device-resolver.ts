// Resolves sightings to devices: by MAC, by the MAC inside an IPv6 address, by Agent; by address only while nothing
// better is known (docs/reference/device-evidence.md#automatic). It merges two devices when an Agent reports both.
// It also merges them when a MAC appears at the address of a device of which only that address is known.
import { type DeviceSource, deviceSources } from '#contract/device-sources.ts';
import { eui64Mac } from '#kernel/net/address.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { createId } from '#kernel/text/secret.ts';
import { createInterfaces, type InterfaceRow } from './interfaces.ts';
import { classifyMac } from './mac-kind.ts';
import { unite } from './merge.ts';
import type { Sighting } from './sighting.ts';
import { createTenures, type HandOver, type Tenure } from './tenures.ts';

export interface DeviceResolver {
  /** Resolves a sighting to its device and stores it. Null when it has neither a usable MAC nor an address. */
  resolve(sighting: Sighting): number | null;
  /** Marks the holder of an address as active, seen by this observer. Null when nobody holds it. */
  touch(address: string, observerId: string, at: number): number | null;
  /** Deletes the Wi-Fi connection of every other interface. */
  clearWifiExcept(macs: ReadonlySet<string>): void;
  /** Names the holder of an address. */
  setName(address: string, name: string): void;
  /** Marks a MAC that has more addresses than one machine has. */
  markShared(mac: string): void;
  readonly changes: Changes;
}

export interface Changes {
  /** New devices, each with its first sighting. */
  made: Map<number, Sighting>;
  /** Devices whose labels, interfaces or addresses changed. */
  changed: Set<number>;
  handOvers: HandOver[];
  /** Evidence for or against two devices being one changed. */
  isEvidence: boolean;
}

export interface ResolverOptions {
  now: number;
  findVendor: (mac: string) => string | null;
  /** The last known name of an address. */
  findName: (address: string) => string | null;
}

export function createDeviceResolver(writer: Writer, { now, findVendor, findName }: ResolverOptions): DeviceResolver {
  const interfaces = createInterfaces(writer, findVendor);
  const tenures = createTenures(writer, now, findName);
  const agents = createAgents(writer, now);
  const changes: Changes = { made: new Map(), changed: new Set(), handOvers: [], isEvidence: false };
  const rows = createDeviceRows(writer);
  const make = (sighting: Sighting) => {
    const id = rows.insert(sighting.heardAt ?? now);
    changes.made.set(id, sighting);
    return id;
  };
  const changed = (device: number) => {
    changes.changed.add(device);
    changes.isEvidence = true;
  };
  /** Holders of the address of which nothing but the address is known. They are the device that is sighted with it now. */
  const bareHolders = ({ address }: Sighting) =>
    address === null
      ? []
      : tenures.open(address).filter(({ device, mac }) => mac === null && !interfaces.hasAnyOf(device));
  const takeOver = (sighting: Sighting, device: number) => {
    for (const bare of bareHolders(sighting)) {
      if (unite(writer, { keep: device, drop: bare.device, now })) {
        tenures.end(bare.id);
        changed(device);
      }
    }
  };
  const byAddress = (sighting: Sighting, mac: string | null) => {
    const { address } = sighting;
    if (address === null) {
      return null;
    }
    const open = tenures.open(address).filter((one) => mac === null || one.mac === null || one.mac === mac);
    return open[0]?.device ?? make(sighting);
  };
  const byInterface = (sighting: Sighting, mac: string, known: InterfaceRow | null) => {
    const agent = sighting.agentId === undefined ? null : agents.find(sighting.agentId);
    const device = known?.device ?? agent ?? bareHolders(sighting)[0]?.device ?? make(sighting);
    takeOver(sighting, device);
    if (!known) {
      interfaces.create({ mac, device, kind: classifyMac(mac) ?? 'shared', seenAt: sighting.heardAt ?? now });
      changed(device);
    }
    return device;
  };

  return {
    changes,
    touch(address, observerId, at) {
      const tenure = findTenure(tenures.open(address), observerId);
      if (!tenure) {
        return null;
      }
      rows.update(tenure.device, { heardAt: at, sources: ['nat'], observerId });
      if (tenure.mac !== null) {
        interfaces.update(tenure.mac, {}, at);
      }
      return tenure.device;
    },
    clearWifiExcept: interfaces.clearWifiExcept,
    setName(address, name) {
      const [holder] = tenures.open(address);
      if (holder && tenures.name(holder.id, name)) {
        changes.changed.add(holder.device);
      }
    },
    markShared: (mac) => {
      if (!interfaces.find(mac)) {
        interfaces.create({ mac, device: null, kind: 'shared', seenAt: now });
      }
      interfaces.markShared(mac);
    },
    resolve(sighting) {
      const mac = findMac(sighting, (inside) => interfaces.find(inside) !== null);
      const known = mac === null ? null : interfaces.find(mac);
      const isShared = mac !== null && (known?.kind ?? classifyMac(mac)) === 'shared';
      if (isShared && !known) {
        interfaces.create({ mac, device: null, kind: 'shared', seenAt: now });
      }
      const device = mac === null || isShared ? byAddress(sighting, mac) : byInterface(sighting, mac, known);
      if (device === null) {
        return null;
      }
      rows.update(device, sighting);
      if (mac !== null && interfaces.update(mac, isShared ? {} : (sighting.facts ?? {}), sighting.heardAt)) {
        changed(device);
      }
      const { address, observerId } = sighting;
      const isHeld = (one: Tenure) => one.device !== device || one.mac !== null;
      if (address !== null && !(sighting.isWeak && tenures.open(address).some(isHeld))) {
        const handOver = tenures.hold({ address, device, mac, observerId });
        if (handOver) {
          changes.handOvers.push(handOver);
          changes.changed.add(device);
          changes.isEvidence ||= !address.includes(':');
        }
      }
      if (sighting.agentId !== undefined && agents.bind(sighting.agentId, device)) {
        changed(device);
      }
      return device;
    },
  };
}

/** The tenure that this observer saw, else any. */
function findTenure(open: readonly Tenure[], observerId: string): Tenure | undefined {
  return open.find((one) => one.observerId === observerId) ?? open[0];
}

/** The MAC that identifies the device: the one seen, else the one inside an IPv6 address if it is registered or known. */
function findMac({ mac, address }: Sighting, isKnown: (mac: string) => boolean): string | null {
  if (mac !== null && classifyMac(mac) !== null) {
    return mac;
  }
  const inside = address === null ? null : eui64Mac(address);
  return inside !== null && (classifyMac(inside) === 'stable' || isKnown(inside)) ? inside : null;
}

/** Sources as a bit set. */
export function toSourceBits(sources: readonly DeviceSource[]): number {
  return sources.reduce((bits, one) => bits | (1 << deviceSources.indexOf(one)), 0);
}

/** Inserts and updates rows of the table `device`. */
function createDeviceRows(writer: Writer) {
  const insert = writer.prepare(
    'INSERT INTO device (device_id, root, first_seen, last_seen) VALUES (?, 0, ?, ?) RETURNING id',
  );
  const own = writer.prepare('UPDATE device SET root = id WHERE id = ?');
  const touched = writer.prepare(
    `UPDATE device SET first_seen = min(first_seen, @at), last_seen = max(last_seen, @at), sources = sources | @bits
     WHERE id = @device`,
  );
  const source = writer.prepare(
    'UPDATE device SET sources = sources | @bits WHERE id = @device AND sources & @bits <> @bits',
  );
  const observe = writer.prepare('INSERT OR IGNORE INTO device_observer (device, observer_id) VALUES (?, ?)');
  return {
    insert(at: number): number {
      const { id } = insert.get(createId(), at, at) as { id: number };
      own.run(id);
      return id;
    },
    /** Stores the observer and its sources, and `heardAt` unless it is null. */
    update(device: number, { heardAt, sources, observerId }: Pick<Sighting, 'heardAt' | 'sources' | 'observerId'>) {
      const bits = toSourceBits(sources);
      if (heardAt === null) {
        source.run({ bits, device });
      } else {
        touched.run({ at: heardAt, bits, device });
      }
      observe.run(device, observerId);
    },
  };
}

/** Agents by id. Everything an Agent reports is one device: separate devices are merged. */
function createAgents(writer: Writer, now: number) {
  const select = writer.prepare('SELECT device FROM device_agent WHERE agent_id = ?');
  const insert = writer.prepare('INSERT INTO device_agent (agent_id, device) VALUES (?, ?)');
  const find = (agentId: string) => (select.get(agentId) as { device: number } | undefined)?.device ?? null;
  return {
    find,
    /** True when two devices were merged. */
    bind(agentId: string, device: number): boolean {
      const bound = find(agentId);
      if (bound === null) {
        insert.run(agentId, device);
        return false;
      }
      return unite(writer, { keep: bound, drop: device, now });
    },
  };
}
