// One router's connection and memory across polls. Opens the connection when needed, and reconnects once, without an
// error, when the router has closed an idle connection.
import { limits } from '#contract/limits.ts';
import { type Clock, elapsed } from '#kernel/time/clock.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import type { FindMark, Marks } from '../../record/connections/privacy/marks.ts';
import type { FlowEnds, Observation } from '../../record/connections/store/observation.ts';
import { createActivity, type RowCounts } from './activity.ts';
import { type DriverMemory, type Shell, ShellError, type Snapshot } from './driver.ts';
import { getDriver } from './drivers.ts';
import type { Registry } from './registry.ts';
import { openShell } from './ssh.ts';
import type { UnseenCounts } from './unseen/counts.ts';
import { findLeastLife } from './unseen/timers.ts';

export type Collected = Outcome & {
  observations: readonly Observation[];
  /** Sessions that the table no longer shows; null when it was not read to its end. */
  ends: FlowEnds | null;
  /** End of the read, epoch milliseconds. No time in the result is later. */
  now: number;
  /** Call this once the observations are stored: until then the new sessions stay new. */
  recorded(): void;
  /** Call this once neighbours and leases are stored: until then each read asks for them again. */
  reported(): void;
};

/** A whole read, or the failure that ended it after some sessions. */
type Outcome = { snapshot: Snapshot; failure: null } | { snapshot: null; failure: ShellError };

export type Cycle = ReturnType<typeof createCycle>;

export interface CycleOptions {
  registry: Registry;
  clock: Clock;
  /** As in ShellOptions. */
  settleMs?: number | undefined;
  /** Counts the rows of whole reads, to estimate the connections between two reads. */
  unseen: UnseenCounts;
  marks: Marks;
}

export function createCycle({ registry, clock, settleMs, unseen, marks }: CycleOptions) {
  let findMark: FindMark = () => null;
  const rowCounts: RowCounts = {
    row: (session, isNew) => findMark(session.src) === null && unseen.row(session, isNew),
    stored: () => unseen.stored(),
  };
  const activity = createActivity(rowCounts);
  const memory: DriverMemory = { refused: new Set(), encoding: null, model: null };
  let shell: Shell | null = null;
  let neighboursAt = Number.NEGATIVE_INFINITY;
  let leasesAt = Number.NEGATIVE_INFINITY;

  const drop = async () => {
    const closing = shell;
    shell = null;
    await closing?.[Symbol.asyncDispose]();
  };
  const connect = async (record: RouterRecord, signal: AbortSignal) => {
    memory.refused.clear();
    const opened = await openShell({ ...toShellTarget(record, registry.list()), clock, signal, settleMs });
    shell = opened;
    registry.learn(record, { hostFp: opened.hostFp, hostName: opened.hostName });
    return opened;
  };
  const read = (record: RouterRecord, open: Shell, signal: AbortSignal) =>
    getDriver(record.kind).collect(open, {
      settings: record,
      memory,
      neighbours: elapsed(neighboursAt, clock.now()) >= limits.arpIntervalMs,
      leases: elapsed(leasesAt, clock.now()) >= limits.dhcpIntervalMs,
      now: clock.now,
      signal,
    });
  const readOrReconnect = async (record: RouterRecord, signal: AbortSignal) => {
    const open: Shell | null = shell;
    if (open === null) {
      return read(record, await connect(record, signal), signal);
    }
    try {
      return await read(record, open, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof ShellError) || error.failure !== 'cut_off') {
        throw error;
      }
      await drop();
      return read(record, await connect(record, signal), signal);
    }
  };
  /** Uses the rows before a failure: they are true, though others are missing. */
  const readAsFarAsPossible = async (record: RouterRecord, signal: AbortSignal): Promise<Outcome> => {
    try {
      return { snapshot: await readOrReconnect(record, signal), failure: null };
    } catch (error) {
      if (signal.aborted || !(error instanceof ShellError) || error.sessions.length === 0) {
        throw error;
      }
      return { snapshot: null, failure: error };
    }
  };

  return {
    /** Reads the router. Rejects with a ShellError when no session could be read. */
    async collect(record: RouterRecord, signal: AbortSignal) {
      const from = clock.now();
      const outcome = withoutSamples(await readAsFarAsPossible(record, signal), marks);
      findMark = marks.open({ routerId: record.id, kind: record.kind });
      const now = clock.now();
      const { sessions } = outcome.snapshot ?? outcome.failure;
      const complete = outcome.snapshot?.complete ?? false;
      const whole = complete ? { from: Math.min(from, now), to: now } : null;
      unseen.begin(whole, findLeastLife(record.kind, memory.natTimerSec));
      return {
        ...outcome,
        now,
        ...(await activity.observe(sessions, whole)),
        recorded: activity.stored,
        reported() {
          neighboursAt = outcome.snapshot?.neighbours ? now : neighboursAt;
          leasesAt = outcome.snapshot?.leases ? now : leasesAt;
        },
      };
    },
    /** Closes the connection; the next collect opens a new one. */
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

/** A line that was not understood may name a destination of any device: with a rule set, it is only counted. */
function withoutSamples(outcome: Outcome, marks: Marks): Outcome {
  if (outcome.snapshot === null || !marks.hasRules()) {
    return outcome;
  }
  const { unparsed, unsupported } = outcome.snapshot;
  const counts = { unparsed: { ...unparsed, samples: [] }, unsupported: { ...unsupported, samples: [] } };
  return { ...outcome, snapshot: { ...outcome.snapshot, ...counts } };
}

/** The target for the SSH client. Records in `stored` with the same address may know more secrets of the device. */
export function toShellTarget(record: RouterRecord, stored: readonly RouterRecord[]) {
  const same = stored.filter(({ ip, port }) => ip === record.ip && port === record.port);
  return {
    host: record.ip,
    port: record.port,
    user: record.user,
    password: record.pass,
    secrets: [record, ...same].flatMap(({ pass, enablePass }) => [pass, enablePass ?? '']),
    legacyAlgorithms: record.legacyAlgorithms,
    pinnedHostFp: record.hostFp,
  };
}
