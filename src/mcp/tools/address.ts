// Addresses and devices as arguments of tools, and the look-up of a device.
import { z } from 'zod';
import type { Device } from '#contract/devices.ts';
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';

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

/** Names a device, or the note of an unseen device: IP address, MAC address or device id. */
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

/** Finds a device by name. `devices` are sorted by last sighting; active devices take precedence over archived ones. */
export function findDevice(name: string, devices: readonly Device[]): Device | undefined {
  const found = devices.filter(
    ({ deviceId, ip, ipv6Addr, ipv6Addrs, interfaces }) =>
      [deviceId, ip, ipv6Addr, ...(ipv6Addrs ?? [])].includes(name) || interfaces.some(({ mac }) => mac === name),
  );
  return found.find(({ status }) => status !== 'archived') ?? found[0];
}
