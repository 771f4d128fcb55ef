// LAN devices: records the sightings of routers, Agents and the access point, reports new devices, executes decisions.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { startJob } from '#kernel/time/job.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { Base } from '../../base/feature.ts';
import type { OnMade } from '../../base/new-device.ts';
import type { Signals } from '../../base/signals.ts';
import type { SourceFacts } from '../../record/connections/store/facts.ts';
import type { SourceLabels } from '../../record/connections/store/source-labels.ts';
import { archiveDevice, mergeDevices, rejectCandidate, splitDevice, unarchiveDevice } from './decisions.ts';
import { describeAddress, findDeviceIdByMac } from './labels.ts';
import { findRepeaters, type KnownHost, type LanReport, toHostSightings, toSightings } from './lan-report.ts';
import { recordSightings, type SightingBatch } from './recorder.ts';

export interface DevicesOptions extends Pick<Base, 'clock' | 'db' | 'log'> {
  signals: Pick<Signals, 'emit'>;
  /** Vendor of a card by its MAC, where known. */
  findVendor?: (mac: string) => string | null;
  /** Last known name of an address. */
  findName?: (address: string) => string | null;
  sourceLabels: (writer: Writer) => SourceLabels;
  onMade?: OnMade;
}

export type { KnownHost };

export interface Devices extends AsyncDisposable {
  /** Notes traffic of an address that `observerId` saw; stored with its next report that can be. */
  noteTraffic(observerId: string, address: string, at: number): void;
  /** A poll of a router. */
  report(report: LanReport): Promise<void>;
  /** Sightings of any other source. */
  record(batch: SightingBatch): Promise<void>;
  /** Hosts of a followed log; a name alone goes to the holder of the address. */
  reportHosts(hosts: readonly KnownHost[]): Promise<void>;
  /** Facts of the holder of an address. Null when nobody holds it. */
  describeSource(address: string): SourceFacts | null;
  /** The device a MAC belongs to, as shown; null when it belongs to none. */
  findDeviceByMac(mac: string): string | null;
  merge(keepId: string, dropId: string): Promise<void>;
  split(deviceId: string): Promise<void>;
  reject(candidateId: number): Promise<void>;
  archive(deviceId: string): Promise<void>;
  unarchive(deviceId: string): Promise<void>;
}

export function startDevices(options: DevicesOptions): Devices {
  const { db, clock, log, signals, findVendor = () => null, findName = () => null, sourceLabels, onMade } = options;
  const traffic = new Map<string, Map<string, number>>();
  const prune = startJob(clock, log, {
    name: 'pruning old leases',
    firstMs: limits.retentionFirstMs,
    everyMs: limits.leasePruneMs,
    run: () => db.write((writer) => pruneLeases(writer, clock.now() - limits.leaseRetentionDays * dayMs)),
  });

  const record = async (batch: SightingBatch) => {
    const context = { now: clock.now(), findVendor, findName, sourceLabels };
    const { made, isChanged, committed } = await db.write(function* (writer) {
      const sighted = yield* recordSightings(writer, batch, context);
      const committed = onMade && (yield* onMade(writer, sighted.made));
      return { ...sighted, committed };
    });
    if (isChanged) {
      signals.emit('devicesChanged');
    }
    try {
      committed?.();
    } catch (error) {
      log.error({ err: error }, 'what follows the commit of new devices failed');
    }
    for (const device of made) {
      signals.emit('deviceAppeared', device);
    }
  };
  const decide = async (
    step: (writer: Writer, options: { now: number; labels: SourceLabels }) => void | WriteSteps<void>,
  ) => {
    await db.save((writer) => step(writer, { now: clock.now(), labels: sourceLabels(writer) }));
    signals.emit('devicesChanged');
  };
  const noteTraffic: Devices['noteTraffic'] = (observerId, address, at) => {
    const seen = traffic.get(observerId) ?? new Map<string, number>();
    traffic.set(observerId, seen.set(address, Math.max(at, seen.get(address) ?? 0)));
  };
  const isSource = (address: string) => db.prepare('SELECT 1 FROM source WHERE address = ?').get(address) !== undefined;

  return {
    noteTraffic,
    async report(report) {
      const { observerId } = report;
      const sightings = toSightings(report, isSource);
      const seen = traffic.get(observerId) ?? new Map<string, number>();
      traffic.delete(observerId);
      const isWhole = report.neighbours !== null;
      try {
        await record({ sightings, shared: findRepeaters(sightings), traffic: seen, observerId, isWhole });
      } catch (error) {
        for (const [address, at] of seen) {
          noteTraffic(observerId, address, at);
        }
        throw error;
      }
    },
    record,
    reportHosts: (hosts) => record({ ...toHostSightings(hosts, clock.now()), observerId: 'log' }),
    describeSource: (address) => describeAddress(db, address),
    findDeviceByMac: (mac) => findDeviceIdByMac(db, mac),
    merge: (keepId, dropId) => decide((writer, options) => mergeDevices(writer, keepId, dropId, options)),
    split: (deviceId) => decide((writer, options) => splitDevice(writer, deviceId, options)),
    reject: (id) => decide((writer, { now }) => rejectCandidate(writer, id, now)),
    archive: (deviceId) => decide((writer, { now }) => archiveDevice(writer, deviceId, now)),
    unarchive: (deviceId) => decide((writer, options) => unarchiveDevice(writer, deviceId, options)),
    [Symbol.asyncDispose]: () => prune[Symbol.asyncDispose](),
  };
}

/** Deletes leases that ended long ago, and IPv6 leases without a later holder. */
function pruneLeases(writer: Writer, before: number): void {
  writer.prepare('DELETE FROM lease WHERE last_seen < ? AND (until IS NOT NULL OR family = 6)').run(before);
}
