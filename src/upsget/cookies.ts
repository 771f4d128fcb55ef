// The cookies of one conversation, in memory. The session cookie has no fixed name, so every cookie is stored.

export interface CookieJar {
  /** Stores the `Set-Cookie` lines of a response: replaces cookies of the same name, deletes expired ones. */
  take(lines: readonly string[]): void;
  /** The `Cookie` header; undefined when there is none. */
  header(): string | undefined;
  clear(): void;
}

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, string>();
  return {
    take(lines) {
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

/** `Max-Age=0`, or the year 1970, which servers send to delete a cookie. */
function isExpired(attribute: string): boolean {
  return /^\s*(?:max-age\s*=\s*"?(?:0|-\d+)"?|expires\s*=.*\b1970\b.*)\s*$/i.test(attribute);
}
