// Notes about devices: the one thing an assistant may write.
import { z } from 'zod';
import type { Device } from '#contract/devices.ts';
import { limits } from '#contract/limits.ts';
import { canonicalIp } from '#kernel/address.ts';
import { AppError } from '#kernel/errors.ts';
import type { HubClient } from '../hub.ts';
import { readTool, writeTool } from '../tool.ts';
import { address, deviceAt } from './address.ts';

const text = z.string().nullable();

interface Noted {
  src: string | null;
  deviceId: string | null;
  mac: string | null;
  vendor: string | null;
  dnsName: string | null;
  note: string | null;
}

export const getDeviceNotes = readTool({
  name: 'get_device_notes',
  title: 'Device notes',
  permission: 'network.read',
  description: 'Reads the notes people wrote about devices: all devices that have one, or with src that one device.',
  input: z.strictObject({ src: address.optional().describe('IP address of one device; left out: all with notes.') }),
  output: z.object({
    count: z.int().optional().describe('Without src: how many; all are shown.'),
    devices: z
      .array(z.object({ src: text, deviceId: text, mac: text, vendor: text, dnsName: text, note: z.string() }))
      .optional()
      .describe('Without src.'),
    src: z.string().optional(),
    found: z.boolean().optional().describe('With src: whether a device of this address is known.'),
    deviceId: text.optional(),
    mac: text.optional(),
    vendor: text.optional(),
    dnsName: text.optional(),
    note: text.optional().describe('With src: its note; null when it has none.'),
  }),
  async call({ src }, { hub }) {
    const { devices, unattached } = await read(hub);
    if (src === undefined) {
      const noted = [...devices.map(notedOf), ...unattached].flatMap(({ note, ...rest }) =>
        note === null ? [] : [{ ...rest, note }],
      );
      return { count: noted.length, devices: noted };
    }
    const device = deviceAt(src, devices);
    const found = device ? notedOf(device) : unattached.find((one) => one.src === src);
    return found ? { ...found, src, found: true } : { src, found: false, note: null };
  },
});

export const setDeviceNote = writeTool({
  name: 'set_device_note',
  title: 'Set device note',
  permission: 'notes.write',
  description: 'Writes the note of a device, replacing the one it has; an empty note deletes it.',
  input: z.strictObject({
    src: address.describe('IP address of the device.'),
    note: z.string().max(limits.note).describe(`The whole note, ${limits.note} characters at most; empty deletes it.`),
  }),
  output: z.object({
    src: z.string(),
    note: text.describe('As it is stored: without blanks around it; null after deletion.'),
    deleted: z.boolean(),
  }),
  async call({ src, note }, { hub }) {
    const { devices } = await hub.devices.list({ query: { includeArchived: '0' } });
    const device = deviceAt(src, devices);
    if (!device) {
      throw new AppError('not_found', `no device has the address ${src}: get_devices lists those that are known`);
    }
    const stored = note.trim();
    await hub.notes.write({ body: { deviceId: device.deviceId, note: stored } });
    return { src, note: stored || null, deleted: stored === '' };
  },
});

function notedOf({ ip, deviceId, mac, vendor, dnsName, note }: Device): Noted {
  return { src: ip || null, deviceId, mac, vendor, dnsName, note };
}

/** All devices, and the notes whose device has not been seen yet, in the order of their keys. */
async function read(hub: HubClient): Promise<{ devices: readonly Device[]; unattached: Noted[] }> {
  const [{ devices }, { notes }] = await Promise.all([
    hub.devices.list({ query: { includeArchived: '1' } }),
    hub.notes.list({}),
  ]);
  const attached = new Set(
    devices.flatMap(({ noteKey, deviceId }) => [deviceId, ...(noteKey === null ? [] : [noteKey])]),
  );
  const unattached = Object.entries(notes)
    .filter(([key]) => !attached.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, note]) => {
      const [first = ''] = key.split('|');
      return { src: canonicalIp(first), deviceId: null, mac: null, vendor: null, dnsName: null, note };
    });
  return { devices, unattached };
}
