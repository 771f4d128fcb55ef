// The names this endpoint is called by. A browser that was tricked into calling it names another one (DNS rebinding), or
// comes from another page.
import type { IncomingHttpHeaders } from 'node:http';
import { canonicalIp, isLoopback, unbracketed } from '#kernel/address.ts';
import { isLoopbackName } from '../oauth/settings.ts';
import type { HttpSettings } from '../settings.ts';

/** What is wrong with Host or Origin; null when nothing is. */
export type NameCheck = (headers: IncomingHttpHeaders) => string | null;

/**
 * Origin, when there is one, must be loopback or the host of the resource. Host likewise, where its right values are
 * known: in OAuth mode, and on a loopback bind that no proxy stands in front of.
 */
export function createNameCheck({
  auth,
  bind,
  trustProxy,
}: Pick<HttpSettings, 'auth' | 'bind' | 'trustProxy'>): NameCheck {
  const resource = auth.mode === 'oauth' ? new URL(auth.resource).hostname : null;
  const isOwn = (name: string) => isLoopbackName(name) || name === resource || unbracketed(name) === bind;
  const isDirect = isLoopback(canonicalIp(bind) ?? bind) && trustProxy.length === 0;
  return ({ host, origin }) => {
    if (origin !== undefined) {
      const url = URL.canParse(origin) ? new URL(origin) : null;
      if (!url || !isOwn(url.hostname)) {
        return 'requests from pages of another origin are not accepted';
      }
    }
    if (resource === null && !isDirect) {
      return null;
    }
    const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
    return isOwn(name)
      ? null
      : 'this endpoint is not called by that host name; behind a proxy name the proxy in MCP_TRUST_PROXY';
  };
}
