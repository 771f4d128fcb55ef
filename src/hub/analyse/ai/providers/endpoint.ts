// The address of the local AI server: where it may be, and its routes.
import { isForbiddenHost } from '#kernel/net/forbidden-target.ts';
import { createFact, createRefusal } from '../../../base/refusals.ts';

/** Throws AppError `ai_endpoint_rejected` for what the hub would not send to. Names are looked at when they are resolved. */
export function requireEndpoint(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(text)) {
    throw createRefusal(
      'ai_endpoint_rejected',
      'localEndpoint must be an http or https address without user, query or fragment, such as http://127.0.0.1:11434',
      [createFact('ai_endpoint_invalid')],
    );
  }
  if (isForbiddenHost(url.hostname, true)) {
    throw createRefusal(
      'ai_endpoint_rejected',
      `localEndpoint is ${url.hostname}, where the hub sends nothing: give the address of the AI server, of this machine or of another one`,
      [createFact('ai_endpoint_forbidden', { host: url.hostname })],
    );
  }
  return url;
}

/** The address of a route such as `/chat/completions`; the endpoint may end in `/v1`. Throws as `requireEndpoint`. */
export function buildLocalUrl(endpoint: string, route: string): string {
  requireEndpoint(endpoint);
  return `${endpoint.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1${route}`;
}
