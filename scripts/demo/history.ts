// Two weeks of the household before the demo began, written by the recorder of the hub before the hub opens its data.
import path from 'node:path';
import { isWorthKeeping, type StartedFlow, writeStarts } from '#hub/analyse/beacons/start-recorder.ts';
import type { RouterRecord } from '#hub/base/settings/schema.ts';
import { createSignals } from '#hub/base/signals.ts';
import { startDevices } from '#hub/identify/devices/devices.ts';
import type { Sighting } from '#hub/identify/devices/sighting.ts';
import { openEnrichmentData } from '#hub/identify/enrichment/embedded/data.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import type { Observation } from '#hub/record/connections/store/observation.ts';
import { createSourceLabels } from '#hub/record/connections/store/source-labels.ts';
import { createLog } from '#kernel/process/log.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { formerPhone, homeAddress, homeDestinations, homeHosts } from '#simulators/home/home.ts';
import type { RouterKind } from '#simulators/router/model.ts';
import { type Application, type Flow, flowsIn, windowMs } from '#simulators/router/world/traffic.ts';
import { silentHour, writeCoverage } from './coverage.ts';

export interface HistoryOptions {
  /** Folder of the hub, which must not run. */
  dataDir: string;
  /** Records that the hub will find; their routers see the same household. */
  routers: readonly RouterRecord[];
  /** Seed of the simulated routers: what is regular goes on from here without a break. */
  seed: number;
  /** Instant at which it ends, epoch milliseconds. */
  now: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const days = 14;
/** What one transaction holds. */
const stepMs = 6 * hourMs;
/** When the telephone made up its new MAC, before now. */
const newMacMs = 20 * hourMs;
/** Starts are looked at for a week. */
const startsMs = 7 * dayMs;

/** Applications that come again by the clock: all of their flows are in the history. */
const regular: ReadonlySet<Application> = new Set(['push', 'ntp', 'beacon', 'threat']);
/** Minutes of an hour in which the others are looked at: twice in the evening (UTC). */
const looks = { usual: [10], evening: [10, 40] } as const;
const eveningHour = 17;

/** Writes the history into a new database; resolves to the number of connections. */
export async function writeHistory({ dataDir, routers, seed, now }: HistoryOptions): Promise<number> {
  const file = path.join(dataDir, 'monitor.db');
  migrate(file, path.join(import.meta.dirname, '../../src/hub/base/migrations'));
  const db = new Db(file);
  try {
    const data = await openEnrichmentData();
    const time = { at: now - days * dayMs };
    const log = createLog('demo', 'warn');
    await using devices = startDevices({
      db,
      clock: { ...systemClock, now: () => time.at },
      log,
      signals: createSignals(log),
      findVendor: data.dataset.findVendor,
      sourceLabels: createSourceLabels,
    });
    const silent = silentHour(now);
    let connections = 0;
    for (let from = time.at; from < now; from += stepMs) {
      time.at = Math.min(from + stepMs, now);
      const step = { from, to: time.at, now };
      const again = [...observations('regular', { seed, salt: '' }, step)];
      for (const [index, { id, kind }] of routers.entries()) {
        await devices.record({ sightings: sightings(id, kind, time.at, now), observerId: id, isWhole: true });
        const started: StartedFlow[] = [];
        const { added } = await recordObservations(db, {
          routerId: id,
          kind,
          observations: [...again, ...observations('irregular', { seed, salt: kind }, step)].filter(
            ({ startedAt }) => index !== 1 || startedAt < silent.from || startedAt >= silent.to,
          ),
          now: time.at,
          factProvider: {
            describe: (address) => ({ host: null, ...data.find(address) }),
            describeSource: devices.describeSource,
            judge: () => null,
          },
          onChanged: (flow) => {
            if (isWorthKeeping(flow)) {
              started.push(flow);
            }
          },
          alsoWrite: (writer) => writeStarts(writer, started, windowMs),
        });
        connections += added;
      }
    }
    await writeCoverage(db, routers, { from: now - days * dayMs, to: now });
    return connections;
  } finally {
    await db.close();
  }
}

interface Step {
  from: number;
  to: number;
  now: number;
}

/** The flows that began in a step, as a router would have shown them. Regular ones are the same on each router. */
function* observations(
  which: 'regular' | 'irregular',
  seeds: { seed: number; salt: string },
  { from, to, now }: Step,
): Generator<Observation> {
  const isRegular = which === 'regular';
  const windows = [...(isRegular ? everyWindow(from, to) : someWindows(from, to))];
  for (const { name, apps } of homeHosts) {
    const src = homeAddress(name ?? '');
    for (const app of apps.filter((one) => regular.has(one) === isRegular)) {
      for (const window of windows) {
        for (const flow of flowsIn(app, seeds, src, window, homeDestinations)) {
          if (flow.startAt >= from && flow.startAt < to) {
            yield observationOf(flow, holderAt(name, src, flow.startAt, now), isRegular, now);
          }
        }
      }
    }
  }
}

function* everyWindow(from: number, to: number): Generator<number> {
  for (let window = Math.floor(from / windowMs) * windowMs; window < to; window += windowMs) {
    yield window;
  }
}

function* someWindows(from: number, to: number): Generator<number> {
  for (let hour = Math.floor(from / hourMs); hour * hourMs < to; hour += 1) {
    const minutes = hour % 24 < eveningHour ? looks.usual : looks.evening;
    yield* minutes.map((minute) => hour * hourMs + minute * windowMs);
  }
}

function observationOf(flow: Flow, src: string, isRegular: boolean, now: number): Observation {
  const { dst, dport, proto, sport, startAt, endAt } = flow;
  const isRecent = now - startAt < startsMs;
  return {
    src,
    dst,
    dport,
    proto,
    sport,
    ttl: null,
    startedAt: startAt,
    at: Math.min(endAt ?? now, now),
    newSession: isRegular && isRecent ? 'exact' : undefined,
  };
}

/** The telephone had another address with its former MAC. */
function holderAt(name: string | null, address: string, at: number, now: number): string {
  return name === formerPhone.name && now - at > newMacMs ? formerPhone.address : address;
}

function sightings(observerId: string, kind: RouterKind, at: number, now: number): Sighting[] {
  return homeHosts.map(({ name, mac = '' }) => {
    const isFormer = name === formerPhone.name && now - at >= newMacMs;
    const address = homeAddress(name ?? '');
    return {
      address: isFormer ? formerPhone.address : address,
      mac: isFormer ? formerPhone.mac : mac,
      heardAt: at,
      sources: ['dhcp', kind],
      observerId,
      facts: name === null ? {} : { dhcpName: name },
    };
  });
}
