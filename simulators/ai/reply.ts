// What goes back over HTTP, and how the faults spoil it on its way.
import type { ServerResponse } from 'node:http';
import type { TakeFault } from './faults.ts';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function asJson(answer: object, status = 200, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(answer) };
}

const page = '<!doctype html><html><body>Something went wrong.</body></html>';

export function spoilReply(reply: Reply, take: TakeFault): Reply {
  if (take('html')) {
    return { status: 200, headers: { 'content-type': 'text/html' }, body: page };
  }
  const huge = take('huge');
  if (huge) {
    const filler = JSON.stringify('x'.repeat(Number(huge.value ?? 2_000_000)));
    return { ...reply, body: `${reply.body.slice(0, -1)},"filler":${filler}}` };
  }
  if (take('not-json')) {
    return { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) };
  }
  if (take('wrong-type')) {
    return { ...reply, headers: { ...reply.headers, 'content-type': 'text/plain' } };
  }
  return reply;
}

/** The member `usage` of a JSON body as it is sent; null when there is none to read. */
export function findUsage({ body }: Reply): unknown {
  try {
    return (JSON.parse(body) as { usage?: unknown }).usage ?? null;
  } catch {
    return null;
  }
}

export interface Delivery {
  take: TakeFault;
  /** Keeps a response that is not finished until the faults are cleared. */
  hold: (response: ServerResponse) => void;
}

/** Sends it, whole or as faults of the connection want it. */
export async function deliver(
  response: ServerResponse,
  { status, headers, body }: Reply,
  { take, hold }: Delivery,
): Promise<void> {
  const bytes = Buffer.from(body);
  const reset = take('reset');
  const stall = take('stall');
  const cut = reset ?? stall ?? take('truncated');
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  if (!cut) {
    response.end(bytes);
    return;
  }
  if (stall) {
    hold(response);
  }
  const sent = bytes.subarray(0, cut.afterBytes ?? Math.floor(bytes.length / 2));
  await new Promise<void>((resolve) => response.write(sent, () => resolve()));
  if (reset) {
    response.socket?.resetAndDestroy();
  } else if (!stall) {
    response.socket?.end();
  }
}
