// One request from arrival to answer: what is noted of it, and what faults do before, instead of and after the web UI.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf } from '#kernel/errors.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { Armed } from '../support/armed-faults.ts';
import { type Call, readCall, shownCall } from './call.ts';
import { deliver } from './delivery.ts';
import type { UpsFault } from './faults.ts';
import { duplicateSessionPage, errorPage } from './pages/error-pages.ts';
import { errorReply, type Reply } from './web-ui.ts';

export interface ExchangeOptions {
  /** What the web UI answers; it changes sessions and settings. */
  answer: (call: Call) => Reply;
  take: (call: Call, fault: UpsFault) => Armed<UpsFault> | null;
  /** Resets the TCP connection under the socket of a request. */
  reset: (socket: Socket) => void;
  clock: Clock;
  /** Ends waits. */
  stopped: AbortSignal;
  note: (kind: string, details?: Record<string, unknown>) => void;
}

export interface Exchange {
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Requests so far. */
  readonly count: number;
}

export function createExchange(options: ExchangeOptions): Exchange {
  const { answer, take, clock, stopped, note } = options;
  let count = 0;

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    count += 1;
    const call = await readCall(request, count);
    if (call === null) {
      response.writeHead(413).end();
      return;
    }
    note('request', shownCall(call));
    const takes = (fault: UpsFault) => take(call, fault);
    const slow = takes('slow');
    if (slow) {
      await clock.sleep(Number(slow.value ?? 5000), stopped).catch(() => undefined);
    }
    const hang = takes('hang');
    if (hang && hang.value !== 'after') {
      return;
    }
    const reply = insteadOf(call, takes) ?? answer(call);
    note('answer', { number: call.number, status: reply.status, location: shownLocation(reply) });
    if (!hang) {
      const reset = () => options.reset(request.socket);
      await deliver({ reply, response, take: takes, clock, stopped, reset });
    }
  };

  return {
    serve(request, response) {
      exchange(request, response).catch((error: unknown) => {
        note('broken', { reason: messageOf(error) });
        response.destroy();
      });
    },
    get count() {
      return count;
    },
  };
}

/** What is answered without asking the web UI; null when nothing is. */
function insteadOf(call: Call, take: (fault: UpsFault) => Armed<UpsFault> | null): Reply | null {
  if (take('error-500')) {
    return errorReply(500, errorPage(500, call.path));
  }
  if (take('duplicate-session')) {
    return errorReply(400, duplicateSessionPage('node0a.node0', 'node0b.node0'));
  }
  if (take('empty-page')) {
    return errorReply(200, '');
  }
  if (take('redirect-loop')) {
    return { status: 303, headers: { location: call.path }, body: '' };
  }
  const elsewhere = take('redirect-elsewhere');
  return elsewhere
    ? { status: 303, headers: { location: String(elsewhere.value ?? 'https://elsewhere.invalid/logon') }, body: '' }
    : null;
}

/** Where a reply leads, without the session in it. */
function shownLocation({ headers }: Reply): string | null {
  return headers.location?.replace(/;[\w-]+=[^?]*/, '') ?? null;
}
