// Headers of an answer that more than one probe reads.
import type { Answer } from '../target.ts';

export function getHeader({ headers }: Answer, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

/** Whole seconds of Retry-After (RFC 9110 §10.2.3), 1 to 99999; null when the answer does not say so. */
export function parseRetryAfter(answer: Answer): number | null {
  const text = getHeader(answer, 'retry-after');
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : null;
}

/** Parameters of a Bearer challenge (RFC 6750 §3); empty when there is none. */
export function parseChallenge(answer: Answer): Readonly<Record<string, string>> {
  const header = getHeader(answer, 'www-authenticate');
  if (!/^\s*bearer\b/i.test(header)) {
    return {};
  }
  return Object.fromEntries(
    [...header.matchAll(/([a-z_]+)="([^"]*)"/gi)].map(([, name = '', value = '']) => [name, value]),
  );
}
