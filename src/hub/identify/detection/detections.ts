// Raises detections by type. One that is news goes into the log and to whoever is told in one transaction.
import type { DetectionEntry } from '#contract/detection.ts';
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { Base } from '../../base/feature.ts';
import type { NewDevice } from '../../base/new-device.ts';
import type { Telling } from '../../base/told-event.ts';
import type { ThreatFlow } from '../../record/connections/store/facts.ts';
import { type Detected, readEntry } from './detection-log.ts';
import { type Candidate, createRaiser, type Logged, type RaiserOptions } from './raise.ts';
import { raiseRetroMatches } from './retro-matches.ts';
import { sweepThreats } from './threat-sweep.ts';

interface DetectionsOptions extends Pick<Base, 'clock' | 'db'>, Omit<RaiserOptions, 'clock'> {
  /** Milliseconds between two reads of a router's table. */
  pollMs: number;
  telling: Telling;
  /** Minimum time between alerts for the same device and destination, in milliseconds. */
  cooldownMs: () => number;
  /** Called for each row of the log after the commit; of retro-matches for the first 50 of a change. */
  onLogged: (entry: DetectionEntry) => void;
  /** Called after the commit with the alerts that detections joined. */
  onAlerts: (ids: readonly number[]) => void;
}

/** A new beacon. */
export interface NewBeacon extends Pick<Detected, 'src' | 'threat'> {
  dst: string;
  dport: number;
  proto: string;
  intervalMs: number;
  obsCount: number;
}

export type Detections = ReturnType<typeof createDetections>;

/** Logs detections; the returned function is to be called after the commit. */
export type Raising = WriteSteps<() => void>;

export function createDetections(options: DetectionsOptions) {
  const { db, clock, pollMs, telling, cooldownMs, onLogged, onAlerts } = options;
  const { raise, markTold } = createRaiser(options);
  const announce = (logged: readonly Logged[], mostEntries = logged.length) => {
    for (const { id } of logged.slice(0, mostEntries)) {
      onLogged(readEntry(db, id, clock.now()));
    }
    if (logged.length > 0) {
      onAlerts(logged.map(({ alertId }) => alertId));
    }
  };
  function* raiseAll(writer: Writer, candidates: readonly Candidate[]): Raising {
    const logged: Logged[] = [];
    for (const candidate of candidates) {
      const raised = raise(writer, candidate);
      if (raised?.logged) {
        logged.push(raised.logged);
      }
      yield;
    }
    return () => {
      if (candidates.length > 0) {
        telling.wake();
      }
      announce(logged);
    };
  }

  return {
    /**
     * Flows judged as threats: the given ones, and flows of the last day without an alert. A device and
     * a destination are news once in a cooldown.
     */
    async threats(named: readonly ThreatFlow[]) {
      const now = clock.now();
      const quietMs = cooldownMs();
      const sightings = [
        ...named.map((flow) => ({ ...flow, at: now })),
        ...sweepThreats(db, now - limits.detectionSweepMs, quietMs),
      ];
      if (sightings.length > 0) {
        const candidates = sightings.map((sighting): Candidate => {
          return { detected: { type: 'threat', ...sighting }, about: sighting.dst, quietMs };
        });
        const tell = await db.write((writer) => raiseAll(writer, candidates));
        tell();
      }
    },
    /**
     * Flows that ran before their destination was listed: one card for each device and destination. The same threat is
     * news once a week. Returns how many were news. To be called when the whole log was judged by the lists. An abort
     * rejects with its reason; the cards that are made stay, the others are made by the next call.
     */
    retroMatches: (signal?: AbortSignal) =>
      raiseRetroMatches({
        signal,
        db,
        clock,
        pollMs,
        raise,
        markTold,
        wake: telling.wake,
        announce,
      }),
    /**
     * Devices seen for the first time, in the transaction that creates them; a probable known device with a new
     * private MAC is no news. Devices of the first report of a router are logged without an alert.
     */
    newDevices: (writer: Writer, found: readonly NewDevice[]) =>
      raiseAll(
        writer,
        found
          .filter(({ probably }) => probably === null)
          .map(({ address, mac, vendor, dnsName, mdnsName, isFirstLook: isUntold }) => ({
            detected: { type: 'new_device', at: clock.now(), src: address, device: { mac, vendor, dnsName, mdnsName } },
            about: mac ?? '',
            quietMs: limits.detectionDeviceQuietMs,
            isUntold,
          })),
      ),
    /** Beacons, in the transaction that stores them. Each flow is news once a week. */
    beacons: (writer: Writer, found: readonly NewBeacon[]) =>
      raiseAll(
        writer,
        found.map((beacon) => ({
          detected: { type: 'beacon', at: clock.now(), ...beacon },
          about: `${beacon.dst} ${beacon.dport} ${beacon.proto}`,
          quietMs: limits.detectionBeaconQuietMs,
        })),
      ),
  };
}
