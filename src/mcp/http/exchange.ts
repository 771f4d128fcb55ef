// One POST and what becomes known of it on its way through the steps; how it ends is decided here, once.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Clock, stopwatch } from '#kernel/clock.ts';
import type { Caller } from './caller.ts';
import { type Refusal, refuse } from './refusal.ts';

/** A JSON-RPC message as far as the endpoint looks into it. */
export interface Message {
  method: string | null;
  /** Of a tool call: the tool that is asked for. */
  tool: string | null;
  /** Asks for an answer. */
  isRequest: boolean;
  value: Record<string, unknown>;
}

export interface Exchange extends Disposable {
  readonly requestId: string;
  readonly httpMethod: string;
  readonly headers: IncomingHttpHeaders;
  /** Of the client, as a trusted proxy or the socket says. */
  readonly address: string;
  readonly incoming: IncomingMessage;
  /** Aborted when the deadline passes, the client goes away or the server stops. */
  readonly signal: AbortSignal;
  /** Resolves, to the answer that is left, when the deadline passes. */
  readonly overdue: Promise<Refusal>;
  /** Milliseconds since it began. */
  elapsed(): number;
  /** Why it was cut off. */
  readonly cut: 'deadline' | 'gone' | null;
  /** The client is not there any more. */
  leave(): void;
  /** Run when the exchange ends, however it does; at once when it has ended. */
  onEnd(work: () => void): void;

  body: Buffer;
  caller: Caller | null;
  message: Message | null;
  refusal: Refusal | null;
  /** Code of the JSON-RPC error that was answered, if one was. */
  rpcError: number | null;
  /** What the audit knows of its tool call: nothing, that its row will come, or the row. */
  toolRow: 'none' | 'coming' | 'success' | 'failure';
}

export interface ExchangeOptions {
  requestId: string;
  address: string;
  incoming: IncomingMessage;
  clock: Clock;
  deadlineMs: number;
}

/** Why the wait for the deadline ends: a reason of our own costs no stack trace for each exchange. */
const over = 'the exchange is over';

/** The deadline begins to run now. */
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
