// One request from arrival to answer: what is noted of it, and what faults do before, instead of and after the web UI.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Armed } from '../support/armed-faults.ts';
import { answerFirst, type FaultAnswers } from '../support/fault-answers.ts';
import type { SimulatorBase } from '../support/simulator-base.ts';
import { type Call, describeCall, readCall } from './call.ts';
import { deliver } from './delivery.ts';
import type { UpsFault } from './faults.ts';
import { duplicateSessionPage, errorPage } from './pages/error-pages.ts';
import { errorReply, type Reply } from './web-ui.ts';

export interface ExchangeOptions {
  base: SimulatorBase<UpsFault>;
  /** What the web UI answers; it changes sessions and settings. */
  answer: (call: Call) => Reply;
  take: (call: Call, fault: UpsFault) => Armed<UpsFault> | null;
  /** Resets the TCP connection under the socket of a request. */
  reset: (socket: Socket) => void;
}

export function createExchange({ base, answer, take, reset }: ExchangeOptions) {
  const { clock, stopped, journal } = base;
  let count = 0;
  return {
    get count() {
      return count;
    },
    async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
      count += 1;
      const call = await readCall(request, count);
      if (call === null) {
        response.writeHead(413).end();
        return;
      }
      journal.add('request', describeCall(call));
      const takes = (fault: UpsFault) => take(call, fault);
      await base.delay(takes('slow'));
      const hang = takes('hang');
      if (hang && hang.value !== 'after') {
        return;
      }
      const reply = answerFirst(faultAnswers, takes, call) ?? answer(call);
      journal.add('answer', { number: call.number, status: reply.status, location: shownLocation(reply) });
      if (!hang) {
        await deliver({ reply, response, take: takes, clock, stopped, reset: () => reset(request.socket) });
      }
    },
  };
}

const redirectTo = (location: string): Reply => ({ status: 303, headers: { location }, body: '' });

const faultAnswers: FaultAnswers<UpsFault, Reply, Call> = [
  ['error-500', (_value, { path }) => errorReply(500, errorPage(500, path))],
  ['duplicate-session', () => errorReply(400, duplicateSessionPage('node0a.node0', 'node0b.node0'))],
  ['empty-page', () => errorReply(200, '')],
  ['redirect-loop', (_value, { path }) => redirectTo(path)],
  ['redirect-elsewhere', (value) => redirectTo(String(value ?? 'https://elsewhere.invalid/logon'))],
];

/** Where a reply leads, without the session in it. */
function shownLocation({ headers }: Reply): string | null {
  return headers.location?.replace(/;[\w-]+=[^?]*/, '') ?? null;
}
