// The setting of trusted proxies, whose X-Forwarded headers are believed; two programs read it
// (docs/reference/wire-contract/1-http-rules.md#14-rate-limits).
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Comma-separated exact addresses and IPv4 ranges; never an IPv6 range, never everything. Absent: none. */
export function trustedProxies() {
  return z.string().default('').transform(parseProxies);
}

function parseProxies(text: string, context: z.RefinementCtx): readonly string[] {
  const listed = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const part of listed) {
    const range = ipaddr.IPv4.isValidCIDR(part) && !part.endsWith('/0');
    if (!range && !ipaddr.isValid(part)) {
      context.addIssue({ code: 'custom', message: `"${part}" is not an address or an IPv4 range` });
    }
  }
  return listed;
}
