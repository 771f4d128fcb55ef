// Addresses and devices as arguments of tools, and the device that is meant.
import { z } from 'zod';
import type { Device } from '#contract/devices.ts';
import { canonicalIp, canonicalMac } from '#kernel/address.ts';

/** In its one canonical spelling. */
export const address = z
  .string()
  .max(64)
  .transform((text, context) => {
    const ip = canonicalIp(text.trim());
    if (ip === null) {
      context.addIssue({ code: 'custom', message: 'must be an IP address' });
      return z.NEVER;
    }
    return ip;
  });

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What a device, or a note of one that has not been seen yet, is named by: IP address, MAC address or device id. */
export const deviceName = z
  .string()
  .max(64)
  .transform((text, context) => {
    const given = text.trim();
    const name = canonicalIp(given) ?? canonicalMac(given) ?? (uuid.test(given) ? given.toLowerCase() : null);
    if (name === null) {
      context.addIssue({ code: 'custom', message: 'must be an IP address, a MAC address or a device id' });
      return z.NEVER;
    }
    return name;
  });

/** The device of a name among `devices`, which come last seen first: one that is not archived before one that is. */
export function deviceOf(name: string, devices: readonly Device[]): Device | undefined {
  const found = devices.filter(
    ({ deviceId, ip, ipv6Addr, ipv6Addrs, interfaces }) =>
      [deviceId, ip, ipv6Addr, ...(ipv6Addrs ?? [])].includes(name) || interfaces.some(({ mac }) => mac === name),
  );
  return found.find(({ status }) => status !== 'archived') ?? found[0];
}
