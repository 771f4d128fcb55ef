// Schedules beacon scans: at their interval, and at once when the settings change. One scan at a time.
import type { BeaconConfig } from '#contract/beacons.ts';
import { limits } from '#contract/limits.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { startWorkLoop } from '#kernel/time/work-loop.ts';
import type { Base } from '../../base/feature.ts';
import type { ReaderPool } from '../../base/readers/pool.ts';
import type { BeaconStore, OnNews } from './beacon-store.ts';
import { toSlot } from './packed-starts.ts';
import type { BeaconQueries, Scan } from './scan.ts';
import { windowMs } from './starts.ts';

export interface BeaconScansOptions extends Pick<Base, 'clock' | 'db' | 'log'> {
  store: BeaconStore;
  /** A dedicated pool: a scan takes seconds. */
  pool: Pick<ReaderPool<BeaconQueries>, 'ask'>;
  pollMs: number;
  /** The current settings: the same object until others are saved, which calls `scanNow`. */
  config: () => BeaconConfig;
  onNews: OnNews;
}

export interface ScanSummary {
  at: number;
  groups: number;
  regular: number;
  benign: number;
}

export interface BeaconScans extends AsyncDisposable {
  last(): ScanSummary | null;
  /** Scans as soon as no other scan runs. */
  scanNow(): void;
  /** Resolves when no scan is running or requested. */
  settled(): Promise<void>;
}

export function startBeaconScans(options: BeaconScansOptions): BeaconScans {
  const { db, clock, log, store, pool, pollMs, config, onNews } = options;
  let last: ScanSummary | null = null;

  const scan = async (signal: AbortSignal) => {
    const now = clock.now();
    const asked = config();
    const params = { now, pollMs, config: asked, most: limits.beaconsFound };
    const { bytes } = await pool.ask('beaconScan', params, signal);
    if (config() !== asked) {
      // Saving others has requested another scan.
      return;
    }
    const found = JSON.parse(new TextDecoder().decode(bytes)) as Scan;
    await store.apply(found, onNews);
    const benign = found.found.filter((flow) => flow.benign !== null).length;
    last = { at: found.at, groups: found.groups, regular: found.regular, benign };
    await pruneStarts(db, firstSlotToKeep(found.slots, now), signal);
  };
  const loop = startWorkLoop({
    clock,
    firstRestMs: limits.beaconFirstScanMs,
    async step(signal) {
      if (config().enabled) {
        await scan(signal);
      }
      return config().scanIntervalMs;
    },
    failed(error) {
      log.error({ err: error }, 'the scan for beacons failed; the next one tries again');
      return config().scanIntervalMs;
    },
  });
  return { ...loop, last: () => last, scanNow: loop.wake };
}

/** The first slot of the window; a later one when the starts exceed their space. */
export function firstSlotToKeep(slots: Scan['slots'], now: number): number {
  let room = limits.beaconStartBytes;
  let first = toSlot(now) + 1;
  for (const { slot, bytes } of slots.toReversed()) {
    room -= bytes;
    if (room < 0) {
      break;
    }
    first = slot;
  }
  return Math.max(first, toSlot(now - windowMs));
}

const rowsAtOnce = 500;

/** Deletes the slots before `firstSlot`, in transactions short enough for polls to run in between. */
export async function pruneStarts(db: Db, firstSlot: number, signal: AbortSignal): Promise<void> {
  for (let removed = rowsAtOnce; removed === rowsAtOnce && !signal.aborted; ) {
    removed = await db.write((writer) => {
      const end = writer
        .prepare(
          `SELECT slot, flow_id AS flow FROM session_start WHERE slot < ? ORDER BY slot, flow_id LIMIT 1 OFFSET ${rowsAtOnce}`,
        )
        .get(firstSlot) as { slot: number; flow: number } | undefined;
      const rows = end
        ? writer.prepare('DELETE FROM session_start WHERE (slot, flow_id) < (?, ?)').run(end.slot, end.flow)
        : writer.prepare('DELETE FROM session_start WHERE slot < ?').run(firstSlot);
      return rows.changes;
    });
  }
}
