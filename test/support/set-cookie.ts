// One `Set-Cookie` header as a browser reads it (RFC 6265 section 5.2).
import { parseCookie } from 'undici';

export interface SetCookie {
  name: string;
  /** As it was sent, still encoded. */
  value: string;
  /** `/` when absent. */
  path: string;
  /** It deletes the cookie: empty, or expired. */
  isOver: boolean;
}

/** Throws an Error for a header that no browser would take. */
export function parseSetCookie(line: string): SetCookie {
  const cookie = parseCookie(line);
  if (cookie === null) {
    throw new Error(`not a cookie: ${line}`);
  }
  const { name, value, path = '/', expires = Number.POSITIVE_INFINITY, maxAge = 1 } = cookie;
  return { name, value, path, isOver: value === '' || Number(expires) <= 0 || maxAge <= 0 };
}
