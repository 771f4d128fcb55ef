// Takes sightings down in one transaction: who it is, who holds which address, what is new, what may be the same.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite.ts';
import type { SourceLabels } from '../connections/store/source-labels.ts';
import { countTogether, probablyKnown, propose } from './candidates.ts';
import { type Changes, createDeviceResolver } from './device-resolver.ts';
import { addressesOf, describeAddress, refreshNames, rootOf } from './labels.ts';
import type { NewDevice } from './new-device.ts';
import type { Sighting } from './sighting.ts';

export interface RecorderOptions {
  now: number;
  vendorOf: (mac: string) => string | null;
  nameOf: (address: string) => string | null;
  /** The words of the log's sources. */
  sourceWords: (writer: Writer) => SourceLabels;
}

export interface SightingBatch {
  sightings: readonly Sighting[];
  /** MACs that several machines use. */
  shared?: readonly string[];
  /** Addresses that showed traffic, each with its last sign of it; taken down after the sightings. */
  traffic?: ReadonlyMap<string, number>;
  /** Names told of addresses, whoever holds them. */
  names?: readonly { address: string; name: string }[];
  observerId: string;
  /** MACs that are connected by radio now: no other is. */
  wireless?: ReadonlySet<string>;
  /**
   * A whole look at the LAN: sources that nobody holds afterwards become devices known by their address. Those that
   * another router saw are left to it for 20 minutes: its own look may tell whose address that is.
   */
  isWhole?: boolean;
}

/** What a batch made of it. */
export interface Sighted {
  made: NewDevice[];
  /** An address, an interface or a word is another one's now. */
  isChanged: boolean;
}

export function* recordSightings(writer: Writer, batch: SightingBatch, options: RecorderOptions): WriteSteps<Sighted> {
  const { observerId } = batch;
  const seen = writer.prepare('SELECT 1 FROM device_observer WHERE observer_id = ? LIMIT 1').get(observerId);
  const isFirstLook = (batch.isWhole === true || batch.wireless !== undefined) && seen === undefined;
  const resolver = createDeviceResolver(writer, options);
  const { changes } = resolver;
  const words = options.sourceWords(writer);
  for (const mac of batch.shared ?? []) {
    resolver.markShared(mac);
  }
  for (const sighting of batch.sightings) {
    resolver.resolve(sighting);
    yield;
  }
  if (batch.wireless) {
    resolver.disconnectAllBut(batch.wireless);
  }
  for (const { address, name } of batch.names ?? []) {
    resolver.setName(address, name);
    yield;
  }
  const unknown = batch.isWhole ? words.unknown(observerId, options.now - limits.leaseAbandonedMs) : [];
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
      active.add(rootOf(writer, device));
    }
    yield;
  }
  yield* tellSources(writer, words, changes, unknown);
  const isDecided = countTogether(writer, active);
  const isChanged = changes.made.size > 0 || changes.changed.size > 0;
  if (changes.isEvidence || isDecided) {
    yield* propose(writer, options.now);
  }
  return {
    made: [...changes.made].flatMap(([id, sighting]) => newDevice(writer, id, sighting, isFirstLook)),
    isChanged,
  };
}

/** Brings names and the log's sources up to what changed. */
function* tellSources(
  writer: Writer,
  words: SourceLabels,
  changes: Changes,
  unknown: readonly { address: string }[],
): WriteSteps<void> {
  const addresses = new Set(unknown.map(({ address }) => address));
  for (const { address, since } of changes.handOvers) {
    addresses.add(address);
    if (since !== null) {
      words.handOver(address, since);
    }
  }
  for (const root of new Set([...changes.changed].map((device) => rootOf(writer, device)))) {
    refreshNames(writer, root);
    for (const address of addressesOf(writer, root)) {
      addresses.add(address);
    }
    yield;
  }
  for (const address of addresses) {
    const facts = describeAddress(writer, address);
    if (facts) {
      words.describe(address, facts);
    }
    yield;
  }
}

/** What is told of a device that was made; nothing when it turned out to be part of another one. */
function newDevice(writer: Writer, id: number, { address, mac }: Sighting, isFirstLook: boolean): NewDevice[] {
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
  const probably = kind === 'private' ? probablyKnown(writer, id) : null;
  return [{ ...shown, mac: shown.mac ?? mac, address: address ?? '', probably, isFirstLook }];
}
