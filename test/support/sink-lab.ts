// A connection log and what sends its closed hours to a server of ClickHouse, simulated or real.
import type { ClickHouseClient } from '@clickhouse/client';
import type { SinkSettings } from '#hub/base/settings/sink.ts';
import { createClosedHours } from '#hub/record/connections/closed-hours/closed-hours.ts';
import { hourColumns } from '#hub/record/connections/closed-hours/row-text.ts';
import { HourRows } from '#hub/record/connections/store/hour-pack.ts';
import { findHours, readHourRows } from '#hub/record/connections/store/hour-rows.ts';
import { openClient } from '#hub/record/sink/client.ts';
import { createSender, type Sender, type Step, sinkTarget } from '#hub/record/sink/sender.ts';
import { createSinkStore, type SinkStore } from '#hub/record/sink/sink-store.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { type ClickHouseSimulator, startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { type ConnectionLog, hour, noon, openConnectionLog } from './connection-log.ts';

export interface SinkLab extends AsyncDisposable {
  log: ConnectionLog;
  store: SinkStore;
  settings: SinkSettings;
  /** Of the sender, in epoch milliseconds. */
  time: { now: number };
  sender(): Sender;
  /** As after a start of the hub: nothing in memory is left. */
  restart(): Promise<void>;
  /** Looks and sends until nothing is due; a failure is thrown, unless it is to be ridden out. */
  sendAll(options?: { ridesOut?: boolean }): Promise<Step[]>;
}

export function sinkSettingsFor(server: ClickHouseSimulator, changes: Partial<SinkSettings> = {}): SinkSettings {
  const { database, writer, reader } = server.settings;
  return {
    url: server.url,
    database,
    writer: { name: writer.user, password: writer.password },
    reader: { name: reader.user, password: reader.password },
    ca: null,
    hub: 'attic',
    ttlDays: null,
    ...changes,
  };
}

/** A settled hour after `noon`. */
export const afterNoon = noon + hour + 300_000;

export async function openSinkLab(settings: SinkSettings, connection?: ClickHouseClient): Promise<SinkLab> {
  await using opened = new AsyncDisposableStack();
  const log = opened.use(openConnectionLog());
  const time = { now: afterNoon };
  const client = connection ?? (await openClient(settings, settings.writer));
  opened.defer(async () => {
    if (connection === undefined) {
      await client.close();
    }
  });
  const store = createSinkStore(log.db);
  const signal = new AbortController().signal;
  const state: { sender: Sender | null } = { sender: null };
  const begin = async () => {
    await store.open(sinkTarget(settings));
    const clock = { now: () => time.now, monotonic: () => time.now, sleep: () => Promise.resolve() };
    const hours = createClosedHours(log.db.file);
    state.sender = createSender({ clock, settings, store, hours, columns: hourColumns, client, paceMs: 0 });
  };
  await begin();
  const held = opened.move();
  const lab: SinkLab = {
    log,
    store,
    settings,
    time,
    sender: () => state.sender as Sender,
    restart: begin,
    async sendAll({ ridesOut = false } = {}) {
      const steps: Step[] = [];
      await lab.sender().look(signal);
      for (;;) {
        const step = await lab.sender().step(signal);
        if (step.did === 'nothing') {
          return steps;
        }
        if (step.did === 'failed' && !ridesOut) {
          throw new Error(step.failure.sentence);
        }
        steps.push(step);
      }
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
  return lab;
}

export interface SinkServer extends AsyncDisposable {
  server: ClickHouseSimulator;
  lab: SinkLab;
}

/** A lab with a simulated server. */
export async function startSinkLab(changes: Partial<SinkSettings> = {}): Promise<SinkServer> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startClickHouse());
  const lab = opened.use(await openSinkLab(sinkSettingsFor(server, changes)));
  const held = opened.move();
  return { server, lab, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const instant = (at: number) => isoTime(at).replace('T', ' ').slice(0, 23);

/** What the table must hold of this log up to `closedAt`: a text for each row, sorted. Made another way than the sink does. */
export function rowsOfLog({ db }: { db: Pick<Reader, 'prepare'> }, closedAt: number): string[] {
  const flows = db
    .prepare(
      `SELECT f.id, s.address AS src, d.address AS dst, f.dport, f.proto, d.country, d.org, d.host, t.level,
         s.dns_name AS name, (SELECT group_concat(router_id) FROM (SELECT o.router_id FROM observer o
           JOIN observer_set m ON m.id = f.observer_set_id WHERE ',' || m.members || ',' LIKE '%,' || o.id || ',%'
           ORDER BY o.router_id)) AS observers
       FROM flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id
       LEFT JOIN threat t ON t.id = f.threat_id`,
    )
    .all() as Record<string, string | number | null>[];
  const byId = new Map(flows.map((flow) => [flow.id, flow]));
  const rows = new HourRows();
  return findHours(db, 0, Math.floor(closedAt / hour) - 1)
    .flatMap((at) => {
      readHourRows(db, at, rows);
      return Array.from({ length: rows.length }, (_, row) => {
        const flow = byId.get(rows.flow[row] as number);
        const [first, last] = [rows.first[row] as number, rows.last[row] as number];
        return rowText({
          hour: instant(at * hour).slice(0, 19),
          ...Object.fromEntries(['src', 'dst', 'dport', 'proto', 'country', 'org'].map((name) => [name, flow?.[name]])),
          dst_host: flow?.host,
          src_dns_name: flow?.name,
          observers: `[${String(flow?.observers ?? '')
            .split(',')
            .map((id) => `'${id}'`)
            .join(',')}]`,
          threat_level: ['safe', 'warn', 'danger'][Number(flow?.level ?? 0)],
          observations: rows.observations[row],
          first_seen: instant(at * hour + first),
          last_seen: instant(at * hour + last),
        });
      });
    })
    .sort();
}

const compared = ['hour', 'src', 'dst', 'dport', 'proto', 'country', 'org', 'dst_host', 'src_dns_name', 'observers'];

export const comparedColumns = [...compared, 'threat_level', 'observations', 'first_seen', 'last_seen'] as const;

function rowText(values: Readonly<Record<string, unknown>>): string {
  return comparedColumns.map((name) => String(values[name] ?? '')).join(' | ');
}

/** What the simulated table holds, in the same form. */
export function rowsOfServer({ rows }: ClickHouseSimulator, hub = 'attic'): string[] {
  return rows
    .held()
    .filter((row) => row.hub === hub)
    .map(({ values }) => rowText(values))
    .sort();
}
