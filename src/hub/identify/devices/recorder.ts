// Records sightings in one transaction: devices, holders of addresses, new devices, merge candidates.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { NewDevice } from '../../base/new-device.ts';
import type { SourceLabels } from '../../record/connections/store/source-labels.ts';
import { countTogether, findProbableDevice, proposeMerges } from './candidates.ts';
import { type Changes, createDeviceResolver } from './device-resolver.ts';
import { describeAddress, findRoot, listAddresses, refreshNames } from './labels.ts';
import type { Sighting } from './sighting.ts';

export interface RecorderOptions {
  now: number;
  findVendor: (mac: string) => string | null;
  findName: (address: string) => string | null;
  /** The labels of the sources of the log. */
  sourceLabels: (writer: Writer) => SourceLabels;
}

export interface SightingBatch {
  sightings: readonly Sighting[];
  /** MACs that several machines use. */
  shared?: readonly string[];
  /** Active addresses, each with its last sign of traffic; recorded after the sightings. */
  traffic?: ReadonlyMap<string, number>;
  /** Names of addresses, whoever holds them. */
  names?: readonly { address: string; name: string }[];
  observerId: string;
  /** MACs that are connected by radio now; no others are. */
  wireless?: ReadonlySet<string>;
  /**
   * A complete LAN report: sources without a holder afterwards become devices known by their address. Those that
   * another router saw are left to it for 20 minutes: its report may name the holder.
   */
  isWhole?: boolean;
}

/** The outcome of a batch. */
export interface Sighted {
  made: NewDevice[];
  /** An address, an interface or a label changed. */
  isChanged: boolean;
}

export function* recordSightings(writer: Writer, batch: SightingBatch, options: RecorderOptions): WriteSteps<Sighted> {
  const { observerId } = batch;
  const seen = writer.prepare('SELECT 1 FROM device_observer WHERE observer_id = ? LIMIT 1').get(observerId);
  const isFirstLook = (batch.isWhole === true || batch.wireless !== undefined) && seen === undefined;
  const resolver = createDeviceResolver(writer, options);
  const { changes } = resolver;
  const labels = options.sourceLabels(writer);
  for (const mac of batch.shared ?? []) {
    resolver.markShared(mac);
  }
  for (const sighting of batch.sightings) {
    resolver.resolve(sighting);
    yield;
  }
  if (batch.wireless) {
    resolver.clearWifiExcept(batch.wireless);
  }
  for (const { address, name } of batch.names ?? []) {
    resolver.setName(address, name);
    yield;
  }
  const unknown = batch.isWhole ? labels.unknown(observerId, options.now - limits.leaseAbandonedMs) : [];
  for (const { address, lastSeen } of unknown) {
    if (resolver.touch(address, observerId, lastSeen) === null) {
      resolver.resolve({ address, mac: null, heardAt: lastSeen, sources: ['nat'], observerId });
    }
    yield;
  }
  const active = new Set<number>();
  for (const [address, at] of batch.traffic ?? []) {
    const device = resolver.touch(address, observerId, at);
    if (device !== null) {
      active.add(findRoot(writer, device));
    }
    yield;
  }
  yield* updateSources(writer, labels, changes, unknown);
  const isDecided = countTogether(writer, active);
  const isChanged = changes.made.size > 0 || changes.changed.size > 0;
  if (changes.isEvidence || isDecided) {
    yield* proposeMerges(writer, options.now);
  }
  return {
    made: [...changes.made].flatMap(([id, sighting]) => toNewDevices(writer, id, sighting, isFirstLook)),
    isChanged,
  };
}

/** Updates names and the labels of sources after changes. */
function* updateSources(
  writer: Writer,
  labels: SourceLabels,
  changes: Changes,
  unknown: readonly { address: string }[],
): WriteSteps<void> {
  const addresses = new Set(unknown.map(({ address }) => address));
  for (const { address, since } of changes.handOvers) {
    addresses.add(address);
    if (since !== null) {
      labels.handOver(address, since);
    }
  }
  for (const root of new Set([...changes.changed].map((device) => findRoot(writer, device)))) {
    refreshNames(writer, root);
    for (const address of listAddresses(writer, root)) {
      addresses.add(address);
    }
    yield;
  }
  for (const address of addresses) {
    const facts = describeAddress(writer, address);
    if (facts) {
      labels.describe(address, facts);
    }
    yield;
  }
}

/** The report of a new device; empty when it turned out to be part of another one. */
function toNewDevices(writer: Writer, id: number, { address, mac }: Sighting, isFirstLook: boolean): NewDevice[] {
  const row = writer
    .prepare(
      `SELECT d.device_id AS deviceId, d.root, d.first_seen AS firstSeen, d.dns_name AS dnsName, d.mdns_name AS mdnsName,
         i.mac, i.vendor, i.kind
       FROM device d LEFT JOIN interface i ON i.device = d.id WHERE d.id = ? ORDER BY i.id LIMIT 1`,
    )
    .get(id) as Omit<NewDevice, 'address' | 'probably' | 'isFirstLook'> & { root: number; kind: string | null };
  const { root, kind, ...shown } = row;
  if (root !== id) {
    return [];
  }
  const probably = kind === 'private' ? findProbableDevice(writer, id) : null;
  return [{ ...shown, mac: shown.mac ?? mac, address: address ?? '', probably, isFirstLook }];
}
