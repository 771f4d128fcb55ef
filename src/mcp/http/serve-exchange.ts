// Runs one exchange: steps, protocol, response. The deadline applies to all of it.
import type { ServerResponse } from 'node:http';
import { whenClosed } from '#kernel/http/when-closed.ts';
import type { Log } from '#kernel/process/log.ts';
import { sendRefusal, sendResponse } from './answer.ts';
import type { AuditRecorder } from './audit-recorder.ts';
import type { Dispatch } from './dispatch.ts';
import type { Exchange } from './exchange.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { Step } from './step.ts';

export interface ExchangeParts {
  steps: readonly Step[];
  dispatch: Dispatch;
  recorder: AuditRecorder;
  log: Log;
}

/** Resolves when the response is sent. The audit row is written when the connection has finished it. */
export async function serveExchange(exchange: Exchange, raw: ServerResponse, parts: ExchangeParts): Promise<void> {
  whenClosed(raw, () => {
    const status = raw.headersSent ? raw.statusCode : null;
    if (!raw.writableFinished) {
      exchange.leave();
    }
    parts.recorder.ended(exchange, status);
    exchange[Symbol.dispose]();
  });
  const answer = await Promise.race([produceAnswer(exchange, parts), exchange.overdue]);
  if (answer instanceof Response) {
    await sendResponse(raw, answer, exchange);
  } else {
    exchange.refusal = answer;
    sendRefusal(raw, answer, exchange.requestId);
  }
}

async function produceAnswer(exchange: Exchange, { steps, dispatch, log }: ExchangeParts): Promise<Response | Refusal> {
  try {
    for (const step of steps) {
      const refusal = await step.pass(exchange);
      // After the end of an exchange, nothing would release what a step acquires.
      exchange.signal.throwIfAborted();
      if (refusal) {
        return refusal;
      }
    }
    const response = await dispatch(exchange);
    return exchange.cut === 'deadline' ? refuse.timeout() : response;
  } catch (error) {
    if (exchange.cut !== null) {
      return refuse.timeout();
    }
    log.error(
      { requestId: exchange.requestId, kind: error instanceof Error ? error.name : typeof error },
      'request failed',
    );
    return refuse.internal();
  }
}
