// Validates Host and Origin, against DNS rebinding and cross-origin requests of browsers.
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost, unbracketed } from '#kernel/net/address.ts';
import type { HttpSettings } from '../settings.ts';

/** Returns what is wrong with Host or Origin, otherwise null. */
export type NameCheck = (headers: IncomingHttpHeaders) => string | null;

/**
 * Origin, if present, must be loopback or the host of the resource. Host is validated where its valid values are known:
 * in OAuth mode, and on a loopback bind without a proxy.
 */
export function createNameCheck({
  auth,
  bind,
  trustProxy,
}: Pick<HttpSettings, 'auth' | 'bind' | 'trustProxy'>): NameCheck {
  const resource = auth.mode === 'oauth' ? new URL(auth.resource).hostname : null;
  const isOwn = (name: string) => isLoopbackHost(name) || name === resource || unbracketed(name) === bind;
  const isDirect = isLoopbackHost(bind) && trustProxy.length === 0;
  return ({ host, origin }) => {
    if (origin !== undefined) {
      const url = URL.parse(origin);
      if (!url || !isOwn(url.hostname)) {
        return 'requests from pages of another origin are not accepted';
      }
    }
    if (resource === null && !isDirect) {
      return null;
    }
    const name = URL.parse(`http://${host}`)?.hostname ?? '';
    return isOwn(name)
      ? null
      : 'this endpoint is not called by that host name; behind a proxy name the proxy in MCP_TRUST_PROXY';
  };
}
