// Requests to the hub at the level where an Agent can misbehave: slow or missing bodies, connections that are cut.
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { messageOf } from '#kernel/errors.ts';
import { readBounded } from '#kernel/http/bounded-fetch.ts';
import { type Clock, hasPassed, systemClock, withDeadline } from '#kernel/time/clock.ts';
import type { HoldClock } from '../support/sleepers.ts';

export interface Call {
  method: 'GET' | 'POST';
  /** From `/api` on; what the address of the hub has before it stays. */
  path: `/api/${string}`;
  bearer?: string | null;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** Ms between the bytes of the body; 'never': none is sent. At once when absent. */
  pace?: number | 'never' | undefined;
  /** Cuts the connection so many ms after the request; when the answer begins, if negative. */
  cut?: number | undefined;
}

export interface Answer {
  /** null: there was none. */
  status: number | null;
  headers: IncomingHttpHeaders;
  body: Readonly<Record<string, unknown>>;
  /** Why there was none. */
  problem: string | null;
}

/** What the hub asks to wait; a second when it does not say. */
export function retryAfterMs({ headers }: Answer): number {
  const seconds = Number(headers['retry-after']);
  return (seconds >= 1 ? seconds : 1) * 1000;
}

/** Never rejects: an answer that does not come is one without a status. */
export type Caller = (call: Call) => Promise<Answer>;

export interface CallerOptions {
  hub: URL;
  clock: Clock;
  /** The local address that connections come from; the system's choice when null. */
  from: string | null;
  timeoutMs: number;
  signal: AbortSignal;
}

export function createCaller({ hub, clock, from, timeoutMs, signal }: CallerOptions): Caller {
  const open = hub.protocol === 'https:' ? httpsRequest : httpRequest;
  const base = hub.pathname.replace(/\/$/, '');
  const exchange = async (call: Call, inner: AbortSignal): Promise<Answer> => {
    const { method, path, bearer, body, pace, cut } = call;
    const headers = {
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...(body ? { 'content-type': 'application/json', 'content-length': body.length } : {}),
      ...call.headers,
    };
    const local = from === null ? {} : { localAddress: from };
    const request = open(new URL(base + path, hub), { method, headers, agent: false, signal: inner, ...local });
    const over = new AbortController();
    const answered = answerTo(request);
    const sent = send(request, body, pace, { clock, signal: AbortSignal.any([inner, over.signal]), cut });
    sent.catch(() => undefined);
    try {
      const response = await answered;
      if (cut !== undefined) {
        throw new Error('the connection was cut before the answer');
      }
      const text = (await readBounded(response, 1_048_576, () => new Error('the answer is too long'))).toString();
      return { status: response.statusCode ?? null, headers: response.headers, body: parseObject(text), problem: null };
    } finally {
      over.abort();
      request.destroy();
    }
  };
  const late = () => new Error(`the hub did not answer within ${timeoutMs / 1000} s`);
  return (call) =>
    withDeadline(clock, timeoutMs, late, signal, (inner) => exchange(call, inner)).catch((error: unknown) => ({
      status: null,
      headers: {},
      body: {},
      problem: messageOf(error),
    }));
}

/**
 * A caller for a clock that jumps, which stands during each call. A hub limits by real time: the call is repeated for as
 * long as the hub answers 429, after the time that it asks for.
 */
export function holdWhileCalling(call: Caller, holdClock: HoldClock, signal: AbortSignal): Caller {
  const callUntilTaken = async (request: Call): Promise<Answer> => {
    for (;;) {
      const answer = await call(request);
      if (answer.status !== 429 || !(await hasPassed(systemClock, retryAfterMs(answer), signal))) {
        return answer;
      }
    }
  };
  return (request) => holdClock(callUntilTaken(request));
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // An error may come when nobody waits any more; without a listener it would end the program.
    request.on('error', reject);
    request.once('close', () => reject(new Error('the hub closed the connection')));
  });
}

interface Manner {
  clock: Clock;
  signal: AbortSignal;
  cut: Call['cut'];
}

/** Rejects when the signal of the request is aborted first. */
async function send(request: ClientRequest, body: Buffer | undefined, pace: Call['pace'], manner: Manner) {
  const { clock, signal, cut } = manner;
  if (pace === 'never') {
    request.flushHeaders();
    return;
  }
  if (pace !== undefined) {
    request.flushHeaders();
    for (const byte of body ?? []) {
      await clock.sleep(pace, signal);
      request.write(Buffer.of(byte));
    }
  }
  const finished = once(request, 'finish', { signal });
  request.end(pace === undefined ? body : undefined);
  await finished;
  if (cut !== undefined && cut >= 0) {
    await clock.sleep(cut, signal);
    request.destroy(new Error('the connection was cut before the answer'));
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
