// Who calls: typed clients that differ only in their credential, and a raw one for what a typed client cannot send.
import { type Dispatcher, request } from 'undici';
import type { Api } from '#contract/index.ts';
import { type Client, createClient } from '#kernel/http/client.ts';

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined when it is not. */
  body: unknown;
}

export interface RawCall {
  method: Dispatcher.HttpMethod;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface Actors {
  /** Holds the admin token: every permission. */
  admin: Client<Api>;
  nobody: Client<Api>;
  /** One request as given; with the admin token unless `headers` say otherwise. */
  raw(call: RawCall): Promise<RawAnswer>;
}

export function createActors(api: Api, url: URL, adminToken: string): Actors {
  return {
    admin: createClient(api, { baseUrl: url, headers: { 'x-admin-token': adminToken } }),
    nobody: createClient(api, { baseUrl: url }),
    raw: (call) => raw(url, { ...call, headers: { 'x-admin-token': adminToken, ...call.headers } }),
  };
}

/** Sends one request and reads the whole answer. */
export async function raw(url: URL, call: RawCall): Promise<RawAnswer> {
  const response = await request(new URL(call.path, url), {
    method: call.method,
    headers: call.headers ?? {},
    body: call.body ?? null,
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text, body: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
