// The query log of dnsmasq and what is built on it (Pi-hole): `log-queries`, also with `=extra`.
import { canonicalIp, isLoopback, isPrivateIp } from '#kernel/net/address.ts';
import { parseHostName } from '#kernel/net/host-name.ts';
import type { Finding, LineReader } from './findings.ts';

/** `dnsmasq[1]: query[A] www.example.com from 192.168.1.5` */
const queryLine = /\bdnsmasq\[\d+\]: (?:\d+ \S+ )?query\[\S+\] (\S+) from (\S+)$/;
/** Names of which it is remembered who asked last. */
const mostAsked = 5000;
/** `dnsmasq[1]: reply www.example.com is 203.0.113.5`; with `extra` a number and the client stand before `reply`. */
const answerLine = /\bdnsmasq\[\d+\]: (?:\d+ \S+ )?(?:reply|cached|cached-stale|config|DHCP|\/\S+) (\S+) is (\S+)$/;
const anyLine = /\bdnsmasq\[\d+\]: /;

/**
 * An address gets the name that was queried, not the last alias on the way to it: aliases and addresses of one answer
 * follow each other.
 */
export function createDnsLogReader(): LineReader {
  let asked: string | null = null;
  let alias: string | null = null;
  const clients = new Map<string, string>();
  const noteQuery = (line: string) => {
    const [, name, client] = queryLine.exec(line) ?? [];
    if (name !== undefined && client !== undefined) {
      clients.delete(name);
      clients.set(name, client);
      if (clients.size > mostAsked) {
        clients.delete(clients.keys().next().value ?? '');
      }
    }
  };
  const forget = () => {
    asked = null;
    alias = null;
  };
  return {
    read(line) {
      const [, left, right = ''] = answerLine.exec(line) ?? [];
      if (left === undefined) {
        forget();
        noteQuery(line);
        return anyLine.test(line) ? [] : null;
      }
      if (right === '<CNAME>') {
        if (asked === null || alias !== null) {
          asked = left;
          alias = null;
        }
        return [];
      }
      const address = canonicalIp(right);
      if (address === null) {
        forget();
        return reverse(left, right);
      }
      if (asked !== null && (alias === null || alias === left)) {
        alias = left;
        return found(address, asked, clients);
      }
      forget();
      return found(address, left, clients);
    },
  };
}

/** `DHCP 192.168.1.5 is laptop.lan`: only of the LAN; what others publish of their addresses is no observation. */
function reverse(left: string, right: string): Finding[] {
  const address = canonicalIp(left);
  const name = parseHostName(right);
  return address !== null && name !== null && isPrivateIp(address) ? [{ kind: 'host', address, mac: null, name }] : [];
}

function found(address: string, text: string, clients: ReadonlyMap<string, string>): Finding[] {
  const name = parseHostName(text);
  if (name === null || isLoopback(address) || address === '0.0.0.0' || address === '::') {
    return [];
  }
  const client = canonicalIp(clients.get(text) ?? '');
  return isPrivateIp(address)
    ? [{ kind: 'host', address, mac: null, name }]
    : [{ kind: 'name', address, name, ...(client && { client }) }];
}
