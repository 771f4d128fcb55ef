// Reads the recorded session starts of a flow, for the beacon scan and for the page of a beacon.
import type { Beacon } from '#contract/beacons.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { dayMs } from '#kernel/time/time.ts';
import { type Start, slotMs, toSlot, unpackStarts } from './packed-starts.ts';
import type { Starts } from './regularity.ts';
import { sameContactMs } from './start-recorder.ts';

/** How far back starts are read; the first slot is read whole. */
export const windowMs = 7 * dayMs;

/** From this share of exact starts on, the inexact ones are dropped. */
const exactShare = 0.8;

/** Reads the starts in the window up to `now`. The table omits the first session of a flow: it began at `firstSeen`. */
export function readStarts(reader: Reader, { id, firstSeen }: { id: number; firstSeen: number }, now: number): Starts {
  return selectStarts(readStoredStarts(reader, id, now), { firstSeen, windowFrom: toWindowFrom(now), now });
}

/** Where the first slot of the window up to `now` begins. */
export function toWindowFrom(now: number): number {
  return toSlot(now - windowMs) * slotMs;
}

/** Reads the stored starts of a flow in the window up to `now`. */
export function readStoredStarts(reader: Reader, id: number, now: number): Start[] {
  const read = reader.prepare('SELECT starts FROM session_start WHERE slot = ? AND flow_id = ?');
  const all: Start[] = [];
  for (let slot = toSlot(now - windowMs); slot <= toSlot(now); slot += 1) {
    const row = read.get(slot, id) as { starts: Uint8Array } | undefined;
    if (row) {
      all.push(...unpackStarts(slot, row.starts));
    }
  }
  return all;
}

interface Window {
  firstSeen: number;
  windowFrom: number;
  now: number;
}

/** Selects the starts to measure; adds `firstSeen`, which the table omits, when it lies in the window. */
export function selectStarts(stored: readonly Start[], { firstSeen, windowFrom, now }: Window): Starts {
  const exact = stored.filter(({ isExact }) => isExact);
  const isExact = exact.length >= exactShare * stored.length;
  const times = (isExact ? exact : stored).map(({ at }) => at).sort((a, b) => a - b);
  const isFirstInside = firstSeen >= windowFrom && firstSeen < (times[0] ?? now) - sameContactMs;
  return { times: isFirstInside ? [firstSeen, ...times] : times, isExact };
}

/** Returns the newest starts, epoch milliseconds; none when the log no longer has the flow. */
export function beaconDetail(reader: Reader, { beacon, now }: { beacon: Beacon; now: number }) {
  const flow = reader
    .prepare(
      `SELECT f.id, f.first_seen AS firstSeen FROM flow f JOIN source s ON s.id = f.source_id
         JOIN destination d ON d.id = f.destination_id
       WHERE s.address = @src AND d.address = @dst AND f.dport = @dport AND f.proto = @proto`,
    )
    .get(beacon) as { id: number; firstSeen: number } | undefined;
  const { times, isExact } = flow ? readStarts(reader, flow, now) : { times: [], isExact: false };
  const at = times.slice(-limits.beaconStarts);
  return { beacon, starts: { at, truncated: at.length < times.length, exact: isExact }, serverTime: now };
}
