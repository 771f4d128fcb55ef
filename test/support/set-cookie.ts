// One `Set-Cookie` header as a browser reads it (RFC 6265 section 5.2).

export interface SetCookie {
  name: string;
  /** As it was sent, still encoded. */
  value: string;
  /** `/` when absent. */
  path: string;
  /** It deletes the cookie: empty, or expired at the epoch. */
  isOver: boolean;
}

export function parseSetCookie(line: string): SetCookie {
  const [pair = '', ...attributes] = line.split(/;\s*/);
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
  return {
    name,
    value,
    path,
    isOver: value === '' || attributes.some((one) => /^expires=thu, 01 jan 1970 /i.test(one)),
  };
}
