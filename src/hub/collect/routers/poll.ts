// One poll of a router: reads it, stores what it shows, and notes how that went.
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import { fileWithoutRoom } from '#kernel/sqlite/refused-write.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { withDeadline } from '#kernel/time/clock.ts';
import type { Base } from '../../base/feature.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import type { RecordBatch } from '../../record/connections/record/recorder.ts';
import type { Translated } from '../../record/connections/store/flow-link.ts';
import type { CoverPoll, PollReport } from '../../record/coverage/polls.ts';
import { toRouterSubject } from './coverage.ts';
import type { Collected, Cycle } from './cycle.ts';
import { type Lease, type Neighbour, type RouterKind, ShellError } from './driver.ts';
import type { PollOutcome } from './metrics.ts';
import type { FailedPoll } from './outages.ts';
import type { Series } from './path/series.ts';
import { afterFailure, afterSuccess, type RouterStatus, type RouterStatuses } from './runtime.ts';

export interface PollOptions extends Pick<Base, 'clock' | 'log'> {
  statuses: RouterStatuses;
  record: RecordBatch;
  /** Writes the coverage of a read, in the transaction of its batch. */
  coverPoll: CoverPoll;
  /** Writes the translations that a whole table shows, in the same transaction. */
  writeTranslated(writer: Writer, translated: Translated): WriteSteps<void>;
  /** Called after each `record` with neighbours and leases; null for what this poll did not read. */
  reportLan(report: {
    observerId: string;
    kind: RouterKind;
    neighbours: readonly Neighbour[] | null;
    leases: readonly Lease[] | null;
    /** When the neighbours were read, epoch milliseconds. Their ages count from then. */
    now: number;
  }): Promise<void>;
  /** Called when a poll of the router with this id has ended, unless its loop was stopped meanwhile. */
  onPolled?: (id: string, outcome: PollOutcome) => void;
  /** As `onPolled`, with the reason of a failure; null: the router was read. */
  onReached?: (id: string, failed: FailedPoll | null) => void;
  /** The status or the record of a router changed. */
  onStatus?: () => void;
}

export interface Polled {
  record: RouterRecord;
  outcome: 'ok' | 'failed';
}

/** Another try with the same secrets could lock the account: the router waits until its record is edited. */
const waitsForEdit = new Set(['auth_failed', 'escalation_failed']);
const waitsForEditSentence = "It is not tried again until the router's settings are corrected.";

export function createPoll(options: PollOptions, series: Series) {
  const { statuses, clock, log } = options;

  /** Does nothing once the loop is stopped: its result may be of another router than the record names now. */
  const setStatus = (record: RouterRecord, signal: AbortSignal, change: (before: RouterStatus) => RouterStatus) => {
    if (!signal.aborted) {
      statuses.set(record.id, change(statuses.of(record)));
      options.onStatus?.();
    }
  };

  const store = async (record: RouterRecord, collected: Collected): Promise<void> => {
    const { id: observerId, kind } = record;
    const { snapshot, observations, ends, now } = collected;
    const cover = options.coverPoll(pollReport(record, collected, statuses.of(record)));
    const shown = snapshot?.complete ? await series.read(observerId, snapshot.sessions, now) : null;
    const alsoWrite = function* (writer: Writer): WriteSteps<void> {
      yield* cover(writer);
      if (shown) {
        yield* options.writeTranslated(writer, shown.translated);
      }
    };
    await options.record({ routerId: observerId, kind, observations, ends, now, alsoWrite });
    collected.recorded();
    shown?.stored();
    const { neighbours, leases, neighboursAt } = snapshot ?? { neighbours: null, leases: null, neighboursAt: null };
    await options.reportLan({ observerId, kind, neighbours, leases, now: neighboursAt ?? now });
    collected.reported();
  };

  return {
    setStatus,
    /** Resolves to null when the router waits until its record is edited. Rejects with the reason of `signal`. */
    async run(record: RouterRecord, cycle: Cycle, signal: AbortSignal): Promise<Polled | null> {
      try {
        const collected = await withDeadline(clock, limits.pollCycleMs, tookTooLong, signal, (inner) =>
          cycle.collect(record, inner),
        );
        signal.throwIfAborted();
        await store(record, collected);
        if (collected.failure) {
          throw collected.failure;
        }
        options.onPolled?.(record.id, collected.snapshot.complete ? 'complete' : 'partial');
        options.onReached?.(record.id, null);
        setStatus(record, signal, (before) => afterSuccess(before, collected.snapshot, clock.now()));
        return { record, outcome: 'ok' };
      } catch (error) {
        await cycle.drop();
        signal.throwIfAborted();
        options.onPolled?.(record.id, 'failed');
        const failure = error instanceof ShellError ? error.failure : 'save_failed';
        const isTriedAgain = !waitsForEdit.has(failure);
        const cause = failure === 'save_failed' ? describeUnstored(error) : messageOf(error);
        const message = isTriedAgain ? cause : `${cause} ${waitsForEditSentence}`;
        setStatus(record, signal, (before) =>
          afterFailure(before, { failure, message, error, isTriedAgain }, clock.now()),
        );
        // When the hub cannot store a read, because its disk is full for example, the router was reached.
        options.onReached?.(record.id, failure === 'save_failed' ? null : { message, isTriedAgain });
        log.warn({ routerId: record.id, failure, err: error instanceof ShellError ? undefined : error }, message);
        return isTriedAgain ? { record, outcome: 'failed' } : null;
      }
    },
  };
}

function pollReport(record: RouterRecord, { snapshot, now }: Collected, { failure }: RouterStatus): PollReport {
  const missed = snapshot ? snapshot.unparsed.count + snapshot.unsupported.count : 0;
  const isComplete = snapshot?.complete ?? false;
  return { router: toRouterSubject(record), at: now, isComplete, missed, failure };
}

/** The message of the status when the hub could not store a read. */
function describeUnstored(error: unknown): string {
  const file = fileWithoutRoom(error);
  return file === null
    ? `What this router showed could not be stored by this hub: ${messageOf(error)}. The next poll tries again.`
    : `The hub's own disk is full: what this router showed could not be stored in ${file}. Free some space on that disk; the next poll tries again.`;
}

function tookTooLong(): ShellError {
  return new ShellError('timed_out', `the poll took longer than ${limits.pollCycleMs / 1000} s and was given up.`);
}
