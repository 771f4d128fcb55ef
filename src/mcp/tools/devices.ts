// The devices of the LAN.
import { z } from 'zod';
import { deviceStatus } from '#contract/devices.ts';
import { defineReadTool, formatTime } from '../tool.ts';
import { iso, text } from './shapes.ts';

export const getDevices = defineReadTool({
  name: 'get_devices',
  title: 'Devices',
  permission: 'network.read',
  description:
    'Lists all known devices of the LAN with MAC, vendor, names, addresses and last sighting, last seen first. ' +
    'status: active within 24 hours, recent within 7 days, else stale.',
  input: z.strictObject({
    include_archived: z.boolean().default(false).describe('Also those that were archived.'),
  }),
  output: z.object({
    count: z.int().describe('All of them are shown.'),
    devices: z.array(
      z.object({
        deviceId: z.string(),
        ip: z.string(),
        ipv6Addrs: z.array(z.string()),
        mac: text,
        vendor: text,
        dnsName: text,
        mdnsName: text,
        status: deviceStatus,
        firstSeen: iso,
        lastSeen: iso,
      }),
    ),
  }),
  async call({ include_archived }, { hub }) {
    const { devices } = await hub.devices.list({ query: { includeArchived: include_archived ? '1' : '0' } });
    const rows = devices.map((device) => ({
      ...device,
      ipv6Addrs: device.ipv6Addrs ?? [],
      firstSeen: formatTime(device.firstSeen),
      lastSeen: formatTime(device.lastSeen),
    }));
    return { count: rows.length, devices: rows };
  },
});
