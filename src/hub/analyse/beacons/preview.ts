// What the beacon scan would have told with other settings: its scans are run again over the stored starts.
import type { BeaconConfig, beaconRoutes } from '#contract/beacons.ts';
import { limits } from '#contract/limits.ts';
import type { ClientReply } from '#kernel/http/route.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type Start, slotMs, toSlot } from './packed-starts.ts';
import { candidateScore, type FlowRow, findFlow, findReasonOfFlow, measureFlow, type RegularFlow } from './scan.ts';
import { readStoredStarts, selectStarts, toWindowFrom, windowMs } from './starts.ts';

export interface PreviewParams {
  now: number;
  pollMs: number;
  given: BeaconConfig;
  saved: BeaconConfig;
}

type Preview = ClientReply<typeof beaconRoutes.preview>;

/** A scan that raises a flow, and what it measures. */
interface Telling {
  at: number;
  regular: RegularFlow;
}

interface Told {
  given: Telling | null;
  saved: Telling | null;
}

export const beaconPreviewQueries = {
  /** Runs as if the hub had known nothing before the oldest stored start. A flow is told once: it is then news for a week. */
  beaconPreview(reader: Reader, params: PreviewParams): Preview {
    const { now: to, given, saved } = params;
    const from = findFirstStart(reader, to);
    const ids = reader
      .prepare('SELECT flow_id FROM session_start WHERE slot >= ? GROUP BY flow_id')
      .pluck()
      .all(toSlot(to - windowMs)) as number[];
    const isDismissed = createDismissedCheck(reader);
    const all: Told[] = [];
    let [flows, dismissed] = [0, 0];
    for (const id of ids) {
      const flow = findFlow(reader, id);
      if (flow && isDismissed(flow)) {
        dismissed += 1;
      } else if (flow) {
        flows += 1;
        const replay = createReplay(reader, { id, flow, from, to, pollMs: params.pollMs });
        all.push({ given: replay(given), saved: replay(saved) });
      }
    }
    const told = all.filter((one) => one.given !== null || one.saved !== null).sort((a, b) => toAt(b) - toAt(a));
    const most = limits.beaconPreviewRows;
    return {
      asked: to - limits.beaconPreviewMs,
      from,
      to,
      flows,
      given: told.filter((one) => one.given).length,
      saved: told.filter((one) => one.saved).length,
      both: told.filter((one) => one.given && one.saved).length,
      dismissed,
      beacons: told.slice(0, most).map((one) => describeTold(reader, one)),
      truncated: told.length > most,
    };
  },
};

export type BeaconPreviewQueries = typeof beaconPreviewQueries;

/** Where the oldest slot of the window that is still stored begins, and never more than the window before `to`. */
function findFirstStart(reader: Reader, to: number): number {
  const oldest = reader
    .prepare('SELECT min(slot) FROM session_start WHERE slot >= ?')
    .pluck()
    .get(toSlot(to - windowMs)) as number | null;
  return oldest === null ? to : Math.max(oldest * slotMs, to - windowMs);
}

interface ReplayOptions {
  id: number;
  flow: FlowRow;
  from: number;
  to: number;
  pollMs: number;
}

/** Returns a function that finds the first scan with the given settings that would have raised the flow. */
function createReplay(reader: Reader, { id, flow, from, to, pollMs }: ReplayOptions) {
  const stored = readStoredStarts(reader, id, to)
    .map((start) => ({ ...start, knownAt: findKnownAt(start, pollMs, to) }))
    .sort((a, b) => a.knownAt - b.knownAt);
  const found = new Map<string, Telling | null>();
  return (config: BeaconConfig): Telling | null => {
    if (!config.enabled || findReasonOfFlow(flow, config) !== null) {
      return null;
    }
    const { minObs, maxCov, minIntervalMs, maxIntervalMs, scanIntervalMs } = config;
    const key = [minObs, maxCov, minIntervalMs, maxIntervalMs, scanIntervalMs].join();
    const known = found.get(key);
    if (known !== undefined) {
      return known;
    }
    const telling = findTelling(stored, { flow, from, to, pollMs }, config);
    found.set(key, telling);
    return telling;
  };
}

interface KnownStart extends Start {
  /** Epoch milliseconds. */
  knownAt: number;
}

/** A poll shows an exact start at most one interval after it; when it did is not stored. */
function findKnownAt({ at, isExact }: Start, pollMs: number, to: number): number {
  return isExact ? Math.min(at + pollMs, to) : at;
}

/**
 * Returns what the first scan of `config` that would have told the flow measures; null when none would. The last scan is
 * at `to`. A scan without a new start is left out: it would measure the same as the one before.
 */
function findTelling(
  stored: readonly KnownStart[],
  { flow, from, to, pollMs }: Omit<ReplayOptions, 'id'>,
  config: BeaconConfig,
): Telling | null {
  const stepMs = Math.max(config.scanIntervalMs, limits.beaconPreviewStepMs);
  const windowFrom = toWindowFrom(to);
  let count = 0;
  for (let left = Math.ceil((to - from) / stepMs) - 1; left >= 0; left -= 1) {
    const at = to - left * stepMs;
    const before = count;
    while ((stored[count]?.knownAt ?? Number.POSITIVE_INFINITY) <= at) {
      count += 1;
    }
    if (count > before) {
      const starts = selectStarts(stored.slice(0, count), { firstSeen: flow.firstSeen, windowFrom, now: at });
      const regular = measureFlow(flow, starts, { config, pollMs });
      if (regular !== null && regular.score >= candidateScore) {
        return { at, regular };
      }
    }
  }
  return null;
}

function createDismissedCheck(reader: Reader) {
  const find = reader.prepare(
    `SELECT 1 FROM beacon WHERE status = 'dismissed' AND src = @src AND dst = @dst AND dport = @dport AND proto = @proto`,
  );
  return ({ src, dst, dport, proto }: FlowRow) => find.get({ src, dst, dport, proto }) !== undefined;
}

function toAt({ given, saved }: Told): number {
  return Math.max(given?.at ?? 0, saved?.at ?? 0);
}

type Labels = Pick<Preview['beacons'][number], 'dstHost' | 'country' | 'org' | 'srcName'>;

function describeTold(reader: Reader, { given, saved }: Told): Preview['beacons'][number] {
  const { src, dst, dport, proto, intervalMs, cov, obsCount, score, threat } = (given ?? (saved as Telling)).regular;
  const labels = reader
    .prepare(
      `SELECT d.host AS dstHost, d.country, d.org,
         (SELECT coalesce(dns_name, mdns_name) FROM source WHERE address = @src) AS srcName
       FROM destination d WHERE d.address = @dst`,
    )
    .get({ src, dst }) as Labels;
  return {
    src,
    dst,
    dport,
    proto,
    ...labels,
    intervalMs,
    intervalCov: cov,
    obsCount,
    score,
    threatLevel: threat?.level ?? 'safe',
    givenAt: given?.at ?? null,
    savedAt: saved?.at ?? null,
  };
}
