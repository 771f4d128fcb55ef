// The body of a request, as far as a simulator cares to read.
import type { IncomingMessage } from 'node:http';

/** The whole body as text; null when it is longer than `longest` characters. Rejects when the client goes away in it. */
export async function readBody(request: IncomingMessage, longest: number): Promise<string | null> {
  let body = '';
  request.setEncoding('utf8');
  for await (const part of request) {
    body += part;
    if (body.length > longest) {
      return null;
    }
  }
  return body;
}
