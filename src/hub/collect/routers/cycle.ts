// One router's connection and memory across polls: opens when needed, collects, and quietly reconnects once when an idle
// connection turns out to have been closed by the router.
import { limits } from '#contract/limits.ts';
import { type Clock, elapsed } from '#kernel/time/clock.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import type { FlowEnds, Observation } from '../../record/connections/store/observation.ts';
import { createActivity } from './activity.ts';
import { type DriverMemory, type Shell, ShellError, type Snapshot } from './driver.ts';
import { getDriver } from './drivers.ts';
import type { Registry } from './registry.ts';
import { openShell } from './ssh.ts';
import type { UnseenCounts } from './unseen/counts.ts';
import { findLeastLife } from './unseen/timers.ts';

export type Collected = Outcome & {
  observations: readonly Observation[];
  /** What the table does not show any more; null when it was not read to its end. */
  ends: FlowEnds | null;
  /** When the whole read had ended, epoch milliseconds: no instant in it is later. */
  now: number;
  /** To be called when the observations are in the database: until then its new sessions stay new. */
  recorded(): void;
  /** To be called when neighbours and leases are in the database: until then they are asked for in each read. */
  reported(): void;
};

/** A whole read, or one that broke off after some sessions. */
type Outcome = { snapshot: Snapshot; failure: null } | { snapshot: null; failure: ShellError };

export interface Cycle extends AsyncDisposable {
  /** Reads the router. Rejects with a ShellError when not one session could be read. */
  collect(record: RouterRecord, signal: AbortSignal): Promise<Collected>;
  /** Closes the connection; the next collect opens a new one. */
  drop(): Promise<void>;
}

export interface CycleOptions {
  registry: Registry;
  clock: Clock;
  /** As in ShellOptions. */
  settleMs?: number | undefined;
  /** What its whole reads say of the connections between them. */
  unseen: UnseenCounts;
}

export function createCycle({ registry, clock, settleMs, unseen }: CycleOptions): Cycle {
  const activity = createActivity(unseen);
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
  /** A table that breaks off is used as far as it was read: its rows are true, though others are missing. */
  const readWhatCanBe = async (record: RouterRecord, signal: AbortSignal): Promise<Outcome> => {
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
    async collect(record, signal) {
      const from = clock.now();
      const outcome = await readWhatCanBe(record, signal);
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
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

/** What the SSH client needs of a record; `stored` are all records, among which one may know more secrets of this device. */
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
