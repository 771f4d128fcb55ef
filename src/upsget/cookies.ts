// Cookies of one session with the UPS web UI, in memory. The session cookie has no fixed name, so every cookie is stored.

export interface CookieJar {
  /** Stores the `Set-Cookie` lines of a response by cookie name. Deletes cookies that are empty or expired. */
  store(lines: readonly string[]): void;
  /** The value of the `Cookie` header; undefined when no cookie is stored. */
  header(): string | undefined;
  clear(): void;
}

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, string>();
  return {
    store(lines) {
      for (const line of lines) {
        const [pair = '', ...attributes] = line.split(';');
        const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
        if (name !== '') {
          if (value === '' || attributes.some(isExpired)) {
            cookies.delete(name);
          } else {
            cookies.set(name, value);
          }
        }
      }
    },
    header: () => (cookies.size === 0 ? undefined : [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')),
    clear: () => cookies.clear(),
  };
}

/** Whether this is a `Max-Age` of 0 or less, or an `Expires` in 1970: servers delete cookies with either. */
function isExpired(attribute: string): boolean {
  return /^\s*(?:max-age\s*=\s*"?(?:0|-\d+)"?|expires\s*=.*\b1970\b.*)\s*$/i.test(attribute);
}
