// Puts together what is known of the LAN: devices, their notes, and who is told of newcomers.
import type { MeshNetwork } from '#contract/mesh.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import { createSourceWords } from './connections/store/source-labels.ts';
import type { Detections } from './detection/detections.ts';
import { type Devices, type DevicesOptions, startDevices } from './devices/devices.ts';
import type { NewDevice } from './devices/new-device.ts';
import type { Live } from './live/live.ts';
import { type Mesh, startMesh } from './mesh/mesh.ts';
import { openNoteFile } from './notes/note-file.ts';
import { createNotes, type Notes } from './notes/notes.ts';
import { createNotesFeed } from './notes/notes-feed.ts';
import type { SettingsDocument } from './settings/document.ts';

export interface LanOptions extends Pick<DevicesOptions, 'vendorOf' | 'nameOf'> {
  db: Db;
  clock: Clock;
  log: Log;
  live: Live;
  notesFile: string;
  document: SettingsDocument;
  detections: Pick<Detections, 'newDevices'>;
}

export interface Lan {
  devices: Devices;
  mesh: Mesh;
  notes: Notes;
  /** To be called when a note may be another one: publishes what is shown, if it is. */
  notesFeed: () => void;
}

export async function startLan({
  live,
  detections,
  notesFile,
  document,
  ...options
}: LanOptions): Promise<Lan & AsyncDisposable> {
  const { db, log } = options;
  const notes = createNotes({ db, file: openNoteFile(notesFile) });
  const notesFeed = createNotesFeed(notes, (all) => live.publish('notes-update', { notes: all }));
  const devices = startDevices({ ...options, sourceWords: createSourceWords, onMade: detections.newDevices });
  devices.onNewDevice((device) => {
    if (device.probably === null) {
      live.publish('new-device', eventOf(device));
    }
  });
  const attachNotes = async () => {
    await notes.attach();
    notesFeed();
  };
  devices.onChanged(() => {
    attachNotes().catch((error: unknown) => log.error({ err: error }, 'a note could not be given to its device'));
  });
  await attachNotes();
  const { clock } = options;
  const onNetwork = (network: MeshNetwork) => live.publish('network-update', network);
  const mesh = startMesh({ document, devices, clock, log, onNetwork });
  return {
    devices,
    mesh,
    notes,
    notesFeed,
    async [Symbol.asyncDispose]() {
      await mesh[Symbol.asyncDispose]();
      await devices[Symbol.asyncDispose]();
    },
  };
}

function eventOf({ deviceId, address, mac, vendor, dnsName, mdnsName, firstSeen }: NewDevice) {
  const words = { srcMac: mac, srcVendor: vendor, srcDnsName: dnsName, srcMdnsName: mdnsName };
  return { src: address, ...words, srcDeviceId: deviceId, firstSeen };
}
