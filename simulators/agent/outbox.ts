// The batches of one Agent that are not acknowledged yet, and what an honest Agent does about each answer.
import type { Clock } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { Random } from '../support/random.ts';
import { type Answer, retryAfterMs } from './caller.ts';
import type { Sealed } from './content.ts';
import type { Ack, Batch } from './records.ts';

export interface Sent {
  agent: string;
  batchId: string;
  observations: number;
  /** null: no answer came. */
  status: number | null;
  ack: Ack | null;
  error: string | null;
}

export interface Waiting {
  batch: Batch;
  /** null until it is sent first. */
  sealed: Sealed | null;
  tries: number;
}

export interface OutboxState {
  /** Batches that are not acknowledged yet. */
  waiting: number;
  /** Given up: refused for what they are. */
  parked: number;
  /** Dropped because too many were waiting. */
  dropped: number;
  /** Requests with a batch. */
  sent: number;
  acknowledged: number;
  /** Requests by the status that refused them; `none`: without an answer. */
  refused: Record<string, number>;
  lastAck: Ack | null;
}

const mostWaiting = 1000;
const backOff = { firstMs: 5000, longestMs: 15 * minuteMs };

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox(clock: Clock, random: Random) {
  const waiting: Waiting[] = [];
  const refused: Record<string, number> = {};
  const count = { parked: 0, dropped: 0, sent: 0, acknowledged: 0 };
  let lastAck: Ack | null = null;
  let failures = 0;
  let notBefore = 0;

  /** Full jitter: anything up to a limit that doubles; at least what the hub asks for. */
  const delayRetry = (answer: Answer) => {
    const longest = Math.min(backOff.longestMs, backOff.firstMs * 2 ** failures);
    const asked = answer.headers['retry-after'] === undefined ? 0 : retryAfterMs(answer);
    failures += 1;
    notBefore = clock.now() + Math.max(asked, Math.ceil(longest * random.next()));
  };
  const remove = (one: Waiting) => {
    const at = waiting.indexOf(one);
    if (at >= 0) {
      waiting.splice(at, 1);
    }
  };
  return {
    add(batch: Batch): Waiting {
      const one: Waiting = { batch, sealed: null, tries: 0 };
      waiting.push(one);
      if (waiting.length > mostWaiting) {
        waiting.shift();
        count.dropped += 1;
      }
      return one;
    },
    get first(): Waiting | undefined {
      return waiting[0];
    },
    get notBefore() {
      return notBefore;
    },
    note({ ack, status }: Sent): void {
      count.sent += 1;
      if (ack) {
        count.acknowledged += 1;
        lastAck = ack;
      } else {
        const key = String(status ?? 'none');
        refused[key] = (refused[key] ?? 0) + 1;
      }
    },
    /** Draws the conclusion: done, to be sent again, given up, or no use with this bearer. */
    settle(one: Waiting, { ack, status }: Sent, answer: Answer): 'done' | 'waits' | 'parked' | 'bearer-refused' {
      if (ack) {
        failures = 0;
        remove(one);
        return 'done';
      }
      if (status === 429) {
        notBefore = clock.now() + retryAfterMs(answer);
        return 'waits';
      }
      // A 200 without a proper ACK is no ACK.
      if (status === null || status >= 500 || status === 200) {
        delayRetry(answer);
        return 'waits';
      }
      if (status === 401 || status === 403) {
        delayRetry(answer);
        return 'bearer-refused';
      }
      count.parked += 1;
      remove(one);
      return 'parked';
    },
    state: (): OutboxState => ({ waiting: waiting.length, ...count, refused: { ...refused }, lastAck }),
  };
}
