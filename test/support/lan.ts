// A real database file with the devices, the notes and the connection log on it; no HTTP, no routers.
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Device, MergeCandidate } from '#contract/devices.ts';
import type { Connection } from '#contract/model.ts';
import type { NewDevice } from '#hub/base/new-device.ts';
import { createSignals, type Signals } from '#hub/base/signals.ts';
import type { Lease, Neighbour } from '#hub/collect/routers/driver.ts';
import { type Devices, startDevices } from '#hub/identify/devices/devices.ts';
import { deviceQueries } from '#hub/identify/devices/queries.ts';
import type { SightingBatch } from '#hub/identify/devices/recorder.ts';
import type { Sighting } from '#hub/identify/devices/sighting.ts';
import { openNoteFile } from '#hub/identify/notes/note-file.ts';
import { createNotes, type Notes } from '#hub/identify/notes/notes.ts';
import { listConnections } from '#hub/record/connections/query/list.ts';
import { newestFirst } from '#hub/record/connections/query/page.ts';
import {
  type ConnectionRow,
  connectionColumns,
  readRowLabels,
  toConnection,
} from '#hub/record/connections/query/row.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { createSourceLabels } from '#hub/record/connections/store/source-labels.ts';
import { createLog, type Log } from '#kernel/process/log.ts';
import { Db, migrate, ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { watchLeaks } from './leak-guard.ts';
import { ManualClock } from './manual-clock.ts';
import { makeFolder } from './temporary-folder.ts';

export interface Lan extends AsyncDisposable {
  readonly signals: Signals;
  readonly clock: ManualClock;
  readonly db: Db;
  readonly devices: Devices;
  readonly notes: Notes;
  readonly noteFile: string;
  /** Every device that was told as new, in order. */
  readonly told: readonly NewDevice[];
  /** One poll of a router, now: flows first, then its tables. */
  poll(tables: Tables, by?: string): Promise<void>;
  /** Sightings of another source. */
  see(sightings: readonly Partial<Sighting>[], batch?: Partial<SightingBatch>): Promise<void>;
  list(query?: { includeArchived?: boolean; observerId?: string }): Device[];
  /** The one device with this address or MAC; throws when there is none, or several. */
  device(word: string): Device;
  candidates(status?: string): MergeCandidate[];
  connections(): Connection[];
  /** What the list shows for this device. */
  connectionsOf(deviceId: string): Connection[];
}

export interface Tables {
  /** `[address, mac]`, heard now. */
  arp?: readonly (readonly [address: string, mac: string])[];
  neighbours?: readonly Partial<Neighbour>[];
  leases?: readonly Partial<Lease>[];
  /** Sources of flows that show traffic now. */
  traffic?: readonly string[];
}

export interface LanOptions {
  log?: Log;
  findVendor?: (mac: string) => string | null;
}

const destination = '203.0.113.80';

export function openLan({ findVendor, log = createLog('lan', 'silent') }: LanOptions = {}): Lan {
  const clock = new ManualClock();
  const watch = watchLeaks({ clock });
  const folder = makeFolder('lan');
  const file = path.join(folder, 'hub.db');
  migrate(file, path.join(import.meta.dirname, '../../src/hub/base/migrations'));
  const db = new Db(file);
  const reader = new ReadConnection(file, 16_384);
  const signals = createSignals(log);
  const devices = startDevices({
    db,
    clock,
    log,
    signals,
    sourceLabels: createSourceLabels,
    ...(findVendor ? { findVendor } : {}),
  });
  const noteFile = path.join(folder, '.monitor.notes.json');
  const notes = createNotes({ db, file: openNoteFile(noteFile) });
  const told: NewDevice[] = [];
  signals.on('deviceAppeared', (device) => told.push(device));
  const lan: Lan = {
    clock,
    db,
    signals,
    devices,
    notes,
    noteFile,
    told,
    async poll({ arp = [], neighbours = [], leases = [], traffic = [] }, by = 'vendor-a-1') {
      const now = clock.now();
      const observations = traffic.map((src) => ({
        ...{ src, dst: destination, dport: 443, proto: 'TCP', sport: null, ttl: null },
        ...{ startedAt: now, at: now },
      }));
      const factProvider = { describe: () => null, describeSource: devices.describeSource, judge: () => null };
      await recordObservations(db, { routerId: by, kind: 'vendor_a', observations, now, factProvider });
      for (const src of traffic) {
        devices.noteTraffic(by, src, now);
      }
      const rows = [...arp.map(([address, mac]) => ({ address, mac })), ...neighbours];
      await devices.report({
        observerId: by,
        kind: 'vendor_a',
        neighbours: rows.map((row) => ({
          ...{ address: '192.168.1.2', mac: '00:00:5e:00:53:00', interfaceName: 'LAN1', heardSec: 0, isOwn: false },
          ...row,
        })),
        leases: leases.map((row) => ({ address: '192.168.1.2', mac: null, clientId: null, name: null, ...row })),
        now,
      });
    },
    async see(sightings, batch = {}) {
      const whole = sightings.map((one): Sighting => {
        const plain = {
          address: null,
          mac: null,
          heardAt: clock.now(),
          sources: ['agent'] as const,
          observerId: 'agent-1',
        };
        return { ...plain, ...one };
      });
      await devices.record({ observerId: 'agent-1', ...batch, sightings: whole });
    },
    list: ({ includeArchived = false, observerId } = {}) =>
      deviceQueries.devices(reader, {
        ...{ now: clock.now(), includeArchived, observerId },
        notes: notes.all(),
      }).devices,
    device(word) {
      const found = lan
        .list()
        .filter(({ ip, interfaces }) => ip === word || interfaces.some(({ mac }) => mac === word));
      const [only] = found;
      if (!only || found.length > 1) {
        throw new Error(`${found.length} devices have ${word}: ${JSON.stringify(lan.list(), null, 1)}`);
      }
      return only;
    },
    candidates: (status = 'pending') => deviceQueries.mergeCandidates(reader, { status, now: clock.now() }).candidates,
    connections() {
      const words = readRowLabels(reader);
      const rows = reader
        .prepare(
          `SELECT ${connectionColumns} FROM flow f JOIN source s ON s.id = f.source_id
           JOIN destination d ON d.id = f.destination_id ORDER BY f.last_seen, f.id`,
        )
        .all() as ConnectionRow[];
      return rows.map((row) => toConnection(row, words));
    },
    connectionsOf: (deviceId) => {
      const page = { ...newestFirst, filter: { fDevice: [deviceId] }, limit: 1000, offset: 0, now: clock.now() };
      return listConnections(reader, page).connections;
    },
    async [Symbol.asyncDispose]() {
      await devices[Symbol.asyncDispose]();
      reader.close();
      await db.close();
      rmSync(folder, { recursive: true });
      await watch[Symbol.asyncDispose]();
    },
  };
  return lan;
}
