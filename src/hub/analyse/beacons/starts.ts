// When the sessions of a flow began, as they were recorded: what a scan looks at, and what a person is shown.
import type { Beacon } from '#contract/beacons.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { dayMs } from '#kernel/time/time.ts';
import { type Start, slotMs, toSlot, unpackStarts } from './packed-starts.ts';
import type { Starts } from './regularity.ts';

export const windowMs = 7 * dayMs;

const exactShare = 0.8;

/** Starts of the window in order; exact only when all of them are. */
export function readStarts(reader: Reader, flow: { id: number; firstSeen: number }, now: number): Starts {
  const read = reader.prepare('SELECT starts FROM session_start WHERE slot = ? AND flow_id = ?');
  const firstSlot = toSlot(now - windowMs);
  const all: Start[] = [];
  for (let slot = firstSlot; slot <= toSlot(now); slot += 1) {
    const row = read.get(slot, flow.id) as { starts: Uint8Array } | undefined;
    if (row) {
      all.push(...unpackStarts(slot, row.starts));
    }
  }
  const exact = all.filter(({ isExact }) => isExact);
  const isExact = exact.length >= exactShare * all.length;
  const times = (isExact ? exact : all).map(({ at }) => at).sort((a, b) => a - b);
  const { firstSeen } = flow;
  const isFirstInside = firstSeen >= firstSlot * slotMs && firstSeen < (times[0] ?? now) - 2000;
  return { times: isFirstInside ? [firstSeen, ...times] : times, isExact };
}

interface BeaconDetail {
  beacon: Beacon;
  starts: { at: number[]; truncated: boolean; exact: boolean };
  serverTime: number;
}

/** No starts where the log has no such flow any more. */
export function beaconDetail(reader: Reader, { beacon, now }: { beacon: Beacon; now: number }): BeaconDetail {
  const { src, dst, dport, proto } = beacon;
  const flow = reader
    .prepare(
      `SELECT f.id, f.first_seen AS firstSeen FROM flow f JOIN source s ON s.id = f.source_id
         JOIN destination d ON d.id = f.destination_id
       WHERE s.address = ? AND d.address = ? AND f.dport = ? AND f.proto = ?`,
    )
    .get(src, dst, dport, proto) as { id: number; firstSeen: number } | undefined;
  const { times, isExact } = flow ? readStarts(reader, flow, now) : { times: [], isExact: false };
  const at = times.slice(-limits.beaconStarts);
  return { beacon, starts: { at, truncated: at.length < times.length, exact: isExact }, serverTime: now };
}
