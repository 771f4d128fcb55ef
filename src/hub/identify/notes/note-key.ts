// Keys of notes: a device id, or the address and MAC of a device that has not been seen yet.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';

/** The address, the MAC or both of a request. */
export interface NoteTarget {
  ip: string | null;
  mac: string | null;
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function isDeviceId(key: string): boolean {
  return uuid.test(key);
}

/** Reads `IP`, `MAC` or `IP|MAC` in any spelling; null for anything else. */
export function parseNoteKey(key: string): NoteTarget | null {
  const [first = '', second, ...more] = key.split('|');
  const ip = canonicalIp(first);
  const mac = canonicalMac(second ?? first);
  const isWhole =
    more.length === 0 && (second === undefined ? ip !== null || mac !== null : ip !== null && mac !== null);
  return isWhole ? { ip, mac } : null;
}

/** Canonical spelling of a key, at most 96 characters. */
export function formatNoteKey({ ip, mac }: NoteTarget): string {
  return [ip, mac].filter((part) => part !== null).join('|');
}
