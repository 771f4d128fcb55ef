// Records the session starts of known flows for the beacon scan. Flows seen once cost nothing.
import { limits } from '#contract/limits.ts';
import { isLocalIp } from '#kernel/net/address.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { MergedFlow } from '../../record/connections/record/merge.ts';
import { appendWord, packStart, type Start, toSlot, unpackStarts } from './packed-starts.ts';

/** A flow with sessions that began since the previous read. */
export type StartedFlow = Pick<MergedFlow, 'src' | 'dst' | 'dport' | 'proto' | 'starts'>;

/** Sessions of one flow that begin within two seconds are one contact: routers and clocks differ by that. */
export const sameContactMs = 2000;
const stepFlows = 64;

/** Whether to record a flow: it has new sessions, and its destination is remote, since regular local contacts are normal. */
export function isWorthKeeping({ dst, starts }: StartedFlow): boolean {
  return starts.length > 0 && !isLocalIp(dst);
}

/** Skips flows that are not in the log. `pollMs` is the time between two reads of a table. */
export function* writeStarts(writer: Writer, flows: readonly StartedFlow[], pollMs: number): WriteSteps<void> {
  const find = writer.prepare(
    `SELECT f.id FROM source s JOIN destination d JOIN flow f ON f.source_id = s.id AND f.destination_id = d.id
     WHERE s.address = +? AND d.address = +? AND f.dport = +? AND f.proto = +?`,
  );
  const read = writer.prepare('SELECT starts FROM session_start WHERE slot = ? AND flow_id = ?');
  const save = writer.prepare(
    `INSERT INTO session_start (slot, flow_id, starts) VALUES (?, ?, ?)
     ON CONFLICT (slot, flow_id) DO UPDATE SET starts = excluded.starts`,
  );
  for (const [index, { src, dst, dport, proto, starts }] of flows.entries()) {
    const flow = find.get(src, dst, dport, proto) as { id: number } | undefined;
    if (flow) {
      for (const [slot, some] of Map.groupBy(starts, ({ at }) => toSlot(at))) {
        const before = (read.get(slot, flow.id) as { starts: Uint8Array } | undefined)?.starts ?? new Uint8Array();
        const after = appendStarts(slot, before, some, pollMs);
        if (after.length > before.length) {
          save.run(slot, flow.id, after);
        }
      }
    }
    if (index % stepFlows === stepFlows - 1) {
      yield;
    }
  }
}

/** Appends new starts, up to a bound: a stream of sessions does not fill the disk. */
function appendStarts(slot: number, packed: Uint8Array, starts: readonly Start[], pollMs: number): Uint8Array {
  const known = unpackStarts(slot, packed);
  let longer = packed;
  for (const start of starts.toSorted((a, b) => a.at - b.at)) {
    const whole = { ...start, at: Math.floor(start.at / 1000) * 1000 };
    if (known.length < limits.beaconStartsPerSlot && !isKnown(known, whole, pollMs)) {
      known.push(whole);
      longer = appendWord(longer, packStart(whole));
    }
  }
  return longer;
}

/**
 * Another router may show the same session a few seconds later. Starts in one poll have the same time and are distinct;
 * the next poll of the same router comes a whole interval later.
 */
function isKnown(known: readonly Start[], { at, isExact }: Start, pollMs: number): boolean {
  const recent = known.slice(-8);
  if (isExact) {
    return recent.some((one) => one.isExact && Math.abs(one.at - at) <= sameContactMs);
  }
  return recent.some((one) => one.at !== at && Math.abs(one.at - at) < 0.75 * pollMs);
}
