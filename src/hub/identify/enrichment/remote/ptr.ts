// PTR look-ups at one name server: the names that owners publish for their addresses. A hint, never proof.
import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { limits } from '#contract/limits.ts';
import { parseHostName } from '#kernel/net/host-name.ts';
import type { LookUp } from './look-up.ts';

/** Answers that mean: no such name. */
const noName = new Set(['ENOTFOUND', 'ENODATA']);

/** `server` is as `Resolver.setServers` takes it. */
export function createPtrLookUp(server: string): LookUp {
  const resolver = new Resolver({ timeout: limits.ptrTimeoutMs, tries: 2 });
  resolver.setServers([server]);
  return async (address, signal) => {
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const names = await resolver.resolvePtr(toReverseName(address));
      const host = names.map(parseHostName).find((name) => name !== null && !isMadeFrom(name, address)) ?? null;
      return { facts: { host }, keepMs: host === null ? limits.ptrAbsentMs : limits.ptrKeptMs };
    } catch (error) {
      if (noName.has((error as NodeJS.ErrnoException).code ?? '')) {
        return { facts: {}, keepMs: limits.ptrAbsentMs };
      }
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** RFC 1035 §3.5 and RFC 3596 §2.5. */
export function toReverseName(address: string): string {
  const bytes = ipaddr.parse(address).toByteArray();
  return bytes.length === 4
    ? `${bytes.toReversed().join('.')}.in-addr.arpa`
    : `${Buffer.from(bytes).toString('hex').split('').toReversed().join('.')}.ip6.arpa`;
}

/** A name generated from the address, as providers publish for all of theirs: it says nothing. */
export function isMadeFrom(name: string, address: string): boolean {
  const bytes = ipaddr.parse(address).toByteArray();
  const hex = Buffer.from(bytes).toString('hex');
  const hexDigits = name.replace(/[^0-9a-f]/g, '');
  if (bytes.length === 16) {
    return hexDigits.includes(hex) || hexDigits.includes(hex.slice(16).replace(/^0+/, '').padStart(8, '0'));
  }
  const numbers = (name.match(/\d+/g) ?? []).map(Number);
  const spelled = bytes.filter((byte) => numbers.includes(byte)).length;
  const padded = bytes.map((byte) => String(byte).padStart(3, '0')).join('');
  return (numbers.length >= 3 && spelled >= 3) || name.includes(hex) || name.includes(padded);
}
