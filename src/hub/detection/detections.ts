// Decides whether a detection is news, logs it and queues its alert, in one transaction.
import type { DetectionConfig, DetectionEntry } from '#contract/detection.ts';
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite.ts';
import type { ChatAlert } from '../chat/alert.ts';
import type { ThreatFlow } from '../connections/store/facts.ts';
import type { NewDevice } from '../devices/new-device.ts';
import type { Base } from '../feature.ts';
import { alertOf } from './alerts.ts';
import { type Detected, insertDetection, labelsOf, readEntry } from './detection-log.ts';
import { sweepThreats } from './threat-sweep.ts';

export interface DetectionsOptions extends Pick<Base, 'clock' | 'db'> {
  /** Read at every detection. */
  settings: () => DetectionConfig;
  chat: {
    /** Alerts are enabled and can be delivered. */
    isReady: () => boolean;
    /** Minimum time between alerts for the same device and destination. */
    cooldownMs: () => number;
    put: (writer: Writer, alert: ChatAlert, now: number) => void;
    wake: () => void;
  };
  /** Called for each row of the log after the commit. */
  onLogged: (entry: DetectionEntry) => void;
}

/** A new beacon. */
export interface NewBeacon extends Pick<Detected, 'src' | 'threat'> {
  dst: string;
  dport: number;
  proto: string;
  intervalMs: number;
  obsCount: number;
}

export interface Detections {
  /**
   * Flows judged as threats: the given ones, and flows of the last day without an alert. A device and
   * a destination are news once in a cooldown.
   */
  threats(named: readonly ThreatFlow[]): Promise<void>;
  /**
   * Devices seen for the first time, in the transaction that creates them; a probable known device with a new
   * private MAC is no news. Devices of the first report of a router are logged without an alert.
   */
  newDevices(writer: Writer, found: readonly NewDevice[]): Raising;
  /** Beacons, in the transaction that stores them. Each flow is news once a week. */
  beacons(writer: Writer, found: readonly NewBeacon[]): Raising;
}

/** Logs detections; the returned function is to be called after the commit. */
export type Raising = WriteSteps<() => void>;

/** An alert, and how long the same is no news. */
interface Candidate {
  detected: Detected;
  /** The part of the destination that identifies it. */
  about: string;
  quietMs: number;
  /** For the log alone. */
  isUntold?: boolean;
}

const switches = { threat: 'threat', new_device: 'newDevice', beacon: 'beacon' } as const;

export function createDetections({ db, clock, settings, chat, onLogged }: DetectionsOptions): Detections {
  /** Returns the id of the row; null when it is no news, or is not logged. */
  const raise = (writer: Writer, { detected, about, quietMs, isUntold }: Candidate): number | null => {
    const { type, src, at } = detected;
    const subject = [type, src, about];
    const last = writer
      .prepare('SELECT at FROM detection_told WHERE type = ? AND device = ? AND dst = ?')
      .get(...subject);
    if (last && at < (last as { at: number }).at + quietMs) {
      return null;
    }
    const now = clock.now();
    writer
      .prepare(
        `INSERT INTO detection_told (type, device, dst, at) VALUES (?, ?, ?, ?)
         ON CONFLICT (type, device, dst) DO UPDATE SET at = excluded.at`,
      )
      .run(...subject, now);
    const to = settings()[switches[type]];
    const labels = labelsOf(writer, detected);
    const key = to.chat && !isUntold && chat.isReady() ? [...subject, now].join('|') : null;
    if (key !== null) {
      chat.put(writer, alertOf(key, { ...detected, at: now }, labels), now);
    }
    return to.history ? insertDetection(writer, { ...detected, at: now }, labels, key) : null;
  };
  function* raiseAll(writer: Writer, candidates: readonly Candidate[]): Raising {
    const logged: number[] = [];
    for (const candidate of candidates) {
      const id = raise(writer, candidate);
      if (id !== null) {
        logged.push(id);
      }
      yield;
    }
    return () => {
      if (candidates.length > 0) {
        chat.wake();
      }
      for (const id of logged) {
        onLogged(readEntry(db, id));
      }
    };
  }

  return {
    async threats(named) {
      const now = clock.now();
      const quietMs = chat.cooldownMs();
      const sightings = [
        ...named.map((flow) => ({ ...flow, at: now })),
        ...sweepThreats(db, now - limits.detectionSweepMs, quietMs),
      ];
      if (sightings.length > 0) {
        const candidates = sightings.map((sighting): Candidate => {
          return { detected: { type: 'threat', ...sighting }, about: sighting.dst, quietMs };
        });
        const announce = await db.write((writer) => raiseAll(writer, candidates));
        announce();
      }
    },
    newDevices: (writer, found) =>
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
    beacons: (writer, found) =>
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
