// The status of a router while the hub runs: state, last success, last failure. It is not stored, on purpose.
import type { RouterNote } from '#contract/router-notes.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import { type FailureClass, ShellError, type Snapshot, type Unparsed } from './driver.ts';

export const routerStates = ['disabled', 'connecting', 'ready', 'reconnecting', 'failed'] as const;
export type RouterState = (typeof routerStates)[number];

export interface RouterStatus {
  state: RouterState;
  /** A sentence for the operator: what is the case, and what to do about it. */
  message: string;
  failure: FailureClass | 'save_failed' | null;
  /** SHA-256 of the pinned host key and of the one that was presented, hex; null unless that is the failure. */
  hostKeyChange: HostKeyChange | null;
  lastSuccessAt: number | null;
  lastError: string | null;
  lastErrorAt: number | null;
  nextPollAt: number | null;
  sessionCount: number;
  complete: boolean | null;
  unparsed: Unparsed;
  unsupported: Unparsed;
  model: string;
  notes: readonly RouterNote[];
}

export interface HostKeyChange {
  known: string;
  presented: string;
}

/** The status of each router since its poll loop began, by id. */
export class RouterStatuses extends Map<string, RouterStatus> {
  of(record: RouterRecord): RouterStatus {
    return this.get(record.id) ?? firstStatus(record);
  }
}

function firstStatus(record: RouterRecord): RouterStatus {
  return {
    state: record.enabled ? 'connecting' : 'disabled',
    message: record.enabled ? 'waiting for the first poll' : 'switched off: no polls until it is enabled',
    failure: null,
    hostKeyChange: null,
    lastSuccessAt: null,
    lastError: null,
    lastErrorAt: null,
    nextPollAt: null,
    sessionCount: 0,
    complete: null,
    unparsed: { count: 0, samples: [] },
    unsupported: { count: 0, samples: [] },
    model: '',
    notes: [],
  };
}

export function afterSuccess(before: RouterStatus, snapshot: Snapshot, now: number): RouterStatus {
  const rows = snapshot.sessions.length;
  return {
    ...before,
    state: 'ready',
    message: snapshot.complete
      ? `${rows} sessions read`
      : `${rows} sessions read, but the table was not read to its end: nothing is taken for ended`,
    failure: null,
    hostKeyChange: null,
    lastSuccessAt: now,
    lastError: null,
    lastErrorAt: null,
    sessionCount: rows,
    complete: snapshot.complete,
    unparsed: snapshot.unparsed,
    unsupported: snapshot.unsupported,
    model: snapshot.model || before.model,
    notes: snapshot.notes,
  };
}

export interface PollFailure {
  failure: FailureClass | 'save_failed';
  message: string;
  /** What ended the poll. */
  error: unknown;
  /** Another try is planned; false: it waits for the record to be edited. */
  isTriedAgain: boolean;
}

export function afterFailure(before: RouterStatus, poll: PollFailure, now: number): RouterStatus {
  const { failure, message, error, isTriedAgain } = poll;
  return {
    ...before,
    state: isTriedAgain && before.lastSuccessAt !== null ? 'reconnecting' : 'failed',
    message,
    failure,
    hostKeyChange: error instanceof ShellError ? toHostKeyChange(error) : null,
    lastError: message,
    lastErrorAt: now,
    nextPollAt: isTriedAgain ? before.nextPollAt : null,
  };
}

function toHostKeyChange({ failure, facts: { known, presented } }: ShellError): HostKeyChange | null {
  return failure === 'host_key_changed' && known !== undefined && presented !== undefined ? { known, presented } : null;
}
