// An IP address as an argument of a tool, and the device that has it.
import { z } from 'zod';
import type { Device } from '#contract/devices.ts';
import { canonicalIp } from '#kernel/address.ts';

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

/** The device of an address among `devices`, which come last seen first: one that is not archived before one that is. */
export function deviceAt(ip: string, devices: readonly Device[]): Device | undefined {
  const found = devices.filter(
    (device) => device.ip === ip || device.ipv6Addr === ip || (device.ipv6Addrs ?? []).includes(ip),
  );
  return found.find(({ status }) => status !== 'archived') ?? found[0];
}
