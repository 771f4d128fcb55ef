// One call of a web API method, taken apart: method name, token and arguments, form-encoded or JSON.
import type { IncomingMessage } from 'node:http';
import { readBody } from '../support/body.ts';

export interface Call {
  /** 1 for the first call since the start. */
  number: number;
  /** Such as `chat.postMessage`; empty when the path names none. */
  method: string;
  token: string | null;
  /** Arguments as texts; what JSON bodies hold besides texts is written as JSON. */
  args: Readonly<Record<string, string>>;
  contentType: string;
}

const longestBody = 1_048_576;

/** Reads the whole request; null when its body is longer than 1 MB or is not what its type says. */
export async function readCall(request: IncomingMessage, number: number): Promise<Call | null> {
  const body = await readBody(request, longestBody);
  if (body === null) {
    return null;
  }
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  const args = parseArguments(contentType, body);
  if (args === null) {
    return null;
  }
  const [, method = ''] = /^\/api\/([a-zA-Z.]+)$/.exec((request.url ?? '').split('?')[0] ?? '') ?? [];
  const [, bearer] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
  return { number, method, token: bearer ?? args.token ?? null, args, contentType };
}

function parseArguments(contentType: string, body: string): Record<string, string> | null {
  if (contentType !== 'application/json') {
    return Object.fromEntries(new URLSearchParams(body));
  }
  try {
    const given: unknown = JSON.parse(body);
    return typeof given === 'object' && given !== null
      ? Object.fromEntries(
          Object.entries(given).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        )
      : null;
  } catch {
    return null;
  }
}
