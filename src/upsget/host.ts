// Parses addresses: IPv4, IPv6 with or without brackets, host names, each with an optional port.
import { isIPv4, isIPv6 } from 'node:net';

export interface Address {
  /** Without brackets, for sockets and commands. */
  host: string;
  /** null when none was given. */
  port: number | null;
}

/** Null for anything else, such as spaces, slashes, options and shell characters. */
export function parseAddress(text: string): Address | null {
  const bracketed = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed) {
    return isIPv6(bracketed[1] ?? '') ? withPort(bracketed[1] ?? '', bracketed[2]) : null;
  }
  if (isIPv6(text)) {
    return { host: text, port: null };
  }
  const [, host = '', port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  return isIPv4(host) || isHostName(host) ? withPort(host, port) : null;
}

/** RFC 1123, and `_`, which is common in home networks. Only digits and dots are a mistyped IPv4 address. */
function isHostName(text: string): boolean {
  const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/i;
  const labels = text.replace(/\.$/, '').split('.');
  return text.length <= 253 && labels.every((one) => label.test(one)) && !/^\d+$/.test(labels.at(-1) ?? '');
}

function withPort(host: string, digits: string | undefined): Address | null {
  if (digits === undefined) {
    return { host, port: null };
  }
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host, port } : null;
}

export function formatAuthority(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
