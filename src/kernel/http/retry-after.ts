// The header with which a server asks to wait (RFC 9110, section 10.2.3).

/** Returns the seconds that `header` asks for, from 1 to an hour; null for a date, or for what cannot be read. */
export function findRetrySeconds(header: string | string[] | undefined): number | null {
  return /^\d{1,9}$/.test(String(header)) ? Math.min(Math.max(Number(header), 1), 3600) : null;
}
