// Notes about devices, the only data that an assistant may write.
import { z } from 'zod';
import type { Device } from '#contract/devices.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import type { HubClient } from '../hub.ts';
import { defineReadTool, defineWriteTool } from '../tool.ts';
import { deviceName, findDevice } from './address.ts';
import { text } from './shapes.ts';

interface NotedDevice {
  src: string | null;
  deviceId: string | null;
  mac: string | null;
  vendor: string | null;
  dnsName: string | null;
  note: string | null;
}

interface PendingNote extends NotedDevice {
  key: string;
}

const naming = 'IP address of the device, or the deviceId or MAC that get_device_notes shows for it';

export const getDeviceNotes = defineReadTool({
  name: 'get_device_notes',
  title: 'Device notes',
  permission: 'network.read',
  description: 'Reads the notes people wrote about devices: all devices that have one, or with src that one device.',
  input: z.strictObject({ src: deviceName.optional().describe(`${naming}; left out: all with notes.`) }),
  output: z.object({
    count: z.int().optional().describe('Without src: how many; all are shown.'),
    devices: z
      .array(z.object({ src: text, deviceId: text, mac: text, vendor: text, dnsName: text, note: z.string() }))
      .optional()
      .describe('Without src.'),
    src: z.string().optional(),
    found: z
      .boolean()
      .optional()
      .describe('With src: whether such a device has been seen; a note may wait for one that has not.'),
    deviceId: text.optional(),
    mac: text.optional(),
    vendor: text.optional(),
    dnsName: text.optional(),
    note: text.optional().describe('With src: its note; null when it has none.'),
  }),
  async call({ src }, { hub }) {
    const { devices, pending } = await readDevicesAndNotes(hub);
    if (src === undefined) {
      const noted = [...devices.map(toNotedDevice), ...pending].flatMap(({ note, ...rest }) =>
        note === null ? [] : [{ ...rest, note }],
      );
      return { count: noted.length, devices: noted };
    }
    const device = findDevice(src, devices);
    return device
      ? { ...toNotedDevice(device), src, found: true }
      : { note: null, ...findPending(src, pending), src, found: false };
  },
});

export const setDeviceNote = defineWriteTool({
  name: 'set_device_note',
  title: 'Set device note',
  permission: 'notes.write',
  description: 'Writes the note of a device, replacing the one it has; an empty note deletes it.',
  input: z.strictObject({
    src: deviceName.describe(`${naming}.`),
    note: z.string().max(limits.note).describe(`The whole note, ${limits.note} characters at most; empty deletes it.`),
  }),
  output: z.object({
    src: z.string(),
    note: text.describe('As it is stored: without blanks around it; null after deletion.'),
    deleted: z.boolean(),
  }),
  async call({ src, note }, { hub }) {
    const { devices, pending } = await readDevicesAndNotes(hub);
    const device = findDevice(src, devices);
    const key = device?.deviceId ?? findPending(src, pending)?.key;
    if (key === undefined) {
      throw new AppError('not_found', `no device is known by ${src}: get_devices lists those that are`);
    }
    const stored = note.trim();
    await hub.notes.write({ body: { key, note: stored } });
    return { src, note: stored || null, deleted: stored === '' };
  },
});

function toNotedDevice({ ip, deviceId, mac, vendor, dnsName, note }: Device): NotedDevice {
  return { src: ip || null, deviceId, mac, vendor, dnsName, note };
}

/** The pending note with exactly this key, otherwise one whose key contains the name. */
function findPending(name: string, pending: readonly PendingNote[]): PendingNote | undefined {
  return pending.find(({ key }) => key === name) ?? pending.find(({ src, mac }) => src === name || mac === name);
}

async function readDevicesAndNotes(hub: HubClient): Promise<{ devices: readonly Device[]; pending: PendingNote[] }> {
  const [{ devices }, { notes }] = await Promise.all([
    hub.devices.list({ query: { includeArchived: '1' } }),
    hub.notes.list({}),
  ]);
  const attached = new Set(
    devices.flatMap(({ noteKey, deviceId }) => [deviceId, ...(noteKey === null ? [] : [noteKey])]),
  );
  const pending = Object.entries(notes)
    .filter(([key]) => !attached.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, note]) => {
      const parts = key.split('|');
      const src = canonicalIp(parts[0] ?? '');
      const mac = canonicalMac(parts.at(-1) ?? '');
      return { key, src, deviceId: src === null && mac === null ? key : null, mac, vendor: null, dnsName: null, note };
    });
  return { devices, pending };
}
