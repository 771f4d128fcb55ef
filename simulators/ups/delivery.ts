// Sends a reply, or what a fault leaves of it.
import type { ServerResponse } from 'node:http';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import type { Clock } from '#kernel/time/clock.ts';
import type { Armed } from '../support/armed-faults.ts';
import type { UpsFault } from './faults.ts';
import type { Reply } from './web-ui.ts';

export interface DeliveryOptions {
  reply: Reply;
  response: ServerResponse;
  take: (fault: UpsFault) => Armed<UpsFault> | null;
  clock: Clock;
  stopped: AbortSignal;
  /** Resets the TCP connection under the response. */
  reset: () => void;
}

/** Resolves when all is sent that will be. */
export async function deliver({ reply, response, take, clock, stopped, reset }: DeliveryOptions): Promise<void> {
  const packing = take('gzip');
  const coding = packing && String(packing.value ?? 'gzip');
  const body = compress(iconv.encode(addComment(reply.body, take('huge-page')), reply.characters ?? 'utf8'), coding);
  const announced = take('wrong-length') ? Math.floor(body.length / 2) : body.length;
  const headers = {
    ...reply.headers,
    ...(coding === null ? {} : { 'content-encoding': coding.replace('raw-', '') }),
    'content-length': announced,
  };
  const cut = take('reset');
  if (cut) {
    if (cut.afterBytes !== undefined) {
      await sendPart(response, reply.status, headers, body.subarray(0, cut.afterBytes));
    }
    reset();
    return;
  }
  const truncated = take('truncated');
  if (truncated) {
    await sendPart(response, reply.status, headers, body.subarray(0, truncated.afterBytes ?? body.length / 2));
    response.socket?.end();
    return;
  }
  // `wrong-length` sends more than it announces, which a strict response refuses.
  response.strictContentLength = false;
  response.writeHead(reply.status, headers);
  const slowly = take('trickle');
  if (slowly) {
    await trickle(response, body, Number(slowly.value ?? 50), clock, stopped);
  }
  response.end(slowly ? undefined : body);
}

/** Each coding of the list in its turn (RFC 9110, section 8.4). */
function compress(bytes: Buffer, codings: string | null): Buffer {
  return (codings?.toLowerCase().split(/\s*,\s*/) ?? []).reduce((body, coding) => {
    switch (coding) {
      case 'gzip':
      case 'x-gzip':
        return gzipSync(body);
      case 'deflate':
        return deflateSync(body);
      case 'raw-deflate':
        return deflateRawSync(body);
      default:
        return body;
    }
  }, bytes);
}

function addComment(body: string, huge: Armed<UpsFault> | null): string {
  return huge ? body.replace('</html>', `<!--${'x'.repeat(Number(huge.value ?? 3_000_000))}--></html>`) : body;
}

/** Head and the beginning of a body; resolves when the system has taken them. */
function sendPart(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  part: Buffer,
): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  return new Promise((resolve) => {
    if (part.length === 0) {
      resolve();
    } else {
      response.write(part, () => resolve());
    }
  });
}

/** In ten parts a second; ends early when the client has gone. */
async function trickle(
  response: ServerResponse,
  body: Buffer,
  bytesPerSecond: number,
  clock: Clock,
  stopped: AbortSignal,
): Promise<void> {
  const part = Math.max(1, Math.round(bytesPerSecond / 10));
  for (let sent = 0; sent < body.length && !response.destroyed && !stopped.aborted; sent += part) {
    response.write(body.subarray(sent, sent + part));
    await clock.sleep(100, stopped).catch(() => undefined);
  }
}
