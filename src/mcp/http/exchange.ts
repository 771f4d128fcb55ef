// The state of one POST while it passes the steps. It ends exactly once.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Clock, stopwatch } from '#kernel/time/clock.ts';
import type { Caller } from './caller.ts';
import { type Refusal, refuse } from './refusal.ts';

/** The fields of a JSON-RPC message that the endpoint reads. */
export interface Message {
  method: string | null;
  tool: string | null;
  isRequest: boolean;
  value: Record<string, unknown>;
}

export interface Exchange extends Disposable {
  readonly requestId: string;
  readonly httpMethod: string;
  readonly headers: IncomingHttpHeaders;
  /** Address of the client, from a trusted proxy or the socket. */
  readonly address: string;
  readonly incoming: IncomingMessage;
  /** Aborted when the deadline passes, the client disconnects or the server stops. */
  readonly signal: AbortSignal;
  /** Resolves to the timeout response when the deadline passes. */
  readonly overdue: Promise<Refusal>;
  /** Milliseconds since the request began. */
  elapsed(): number;
  readonly cut: 'deadline' | 'gone' | null;
  leave(): void;
  /** Registers a callback for the end of the exchange; called at once when it has ended. */
  onEnd(work: () => void): void;

  body: Buffer;
  caller: Caller | null;
  message: Message | null;
  refusal: Refusal | null;
  /** Code of the JSON-RPC error in the response, if any. */
  rpcError: number | null;
  /** State of the audit row of its tool call: none, expected, or written. */
  toolRow: 'none' | 'coming' | 'success' | 'failure';
}

export interface ExchangeOptions {
  requestId: string;
  address: string;
  incoming: IncomingMessage;
  clock: Clock;
  deadlineMs: number;
}

/** Abort reason of the deadline timer; a constant avoids a stack trace per exchange. */
const over = 'the exchange is over';

export function openExchange({ requestId, address, incoming, clock, deadlineMs }: ExchangeOptions): Exchange {
  const elapsed = stopwatch();
  const cutter = new AbortController();
  const ended = new AbortController();
  const endings: (() => void)[] = [];
  let cut: Exchange['cut'] = null;
  let isOver = false;
  const cutOff = (why: 'deadline' | 'gone') => {
    cut ??= why;
    cutter.abort(new Error(why === 'deadline' ? 'the deadline of the exchange passed' : 'the client went away'));
  };
  const overdue = clock.sleep(deadlineMs, ended.signal).then(
    () => {
      cutOff('deadline');
      return refuse.timeout();
    },
    () => new Promise<never>(() => {}),
  );
  return {
    requestId,
    httpMethod: incoming.method ?? '',
    headers: incoming.headers,
    address,
    incoming,
    signal: cutter.signal,
    overdue,
    elapsed,
    get cut() {
      return cut;
    },
    leave: () => cutOff('gone'),
    onEnd(work) {
      if (isOver) {
        work();
      } else {
        endings.push(work);
      }
    },
    body: Buffer.alloc(0),
    caller: null,
    message: null,
    refusal: null,
    rpcError: null,
    toolRow: 'none',
    [Symbol.dispose]() {
      isOver = true;
      ended.abort(over);
      for (const work of endings.splice(0)) {
        work();
      }
    },
  };
}
