// The name server of PTR look-ups: its address, and whether it is internal.
import { canonicalIp, isLoopback, isPrivateIp } from '#kernel/net/address.ts';

export interface Resolver {
  /** Canonical. */
  ip: string;
  /** As `Resolver.setServers` of node:dns takes it. */
  server: string;
  /** On this machine or in the local network: offline mode allows it. */
  isInternal: boolean;
}

/** `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`; `null` for anything else. */
export function parseResolver(text: string): Resolver | null {
  const [, bracketed, dotted, digits] = /^(?:\[([\da-f:]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const ip = canonicalIp(bracketed ?? dotted ?? text);
  const port = digits === undefined ? 53 : Number(digits);
  if (ip === null || port < 1 || port > 65_535) {
    return null;
  }
  return {
    ip,
    server: ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`,
    isInternal: isLoopback(ip) || isPrivateIp(ip),
  };
}
