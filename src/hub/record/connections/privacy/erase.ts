// Erases what was kept of some sources: connections with their hours, destinations that nobody else has, and every trace
// of them in alerts, beacons, comparisons and messages.
import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { unkeptAddress } from '../../../base/unkept-address.ts';
import { createHourPacking, HourRows } from '../store/hour-pack.ts';

/** A source address, and the time in which the device had it, epoch milliseconds. */
export interface HeldAddress {
  address: string;
  from: number;
  to: number;
}

export interface Erased {
  connections: number;
  destinations: number;
  alerts: number;
}

export type ErasePhase = 'hours' | 'connections' | 'traces' | 'compacting' | 'done';

interface Erasure {
  holdings: readonly HeldAddress[];
  /** Only connections last seen before this instant. */
  before: number;
  /** The present, epoch milliseconds. */
  now: number;
  enter: (phase: ErasePhase) => void;
  signal: AbortSignal;
}

interface FlowRow {
  id: number;
  destination: number;
  threat: number | null;
}

const flowsAtOnce = 200;
const packsAtOnce = 4;

/** Transactions are short; what was erased before an abort stays erased. The file is compacted, so that no page keeps a copy. */
export async function eraseHeldAddresses(db: Db, { holdings, before, now, enter, signal }: Erasure): Promise<Erased> {
  const flows = listFlows(db, holdings, before);
  enter('hours');
  await eraseHours(db, new Set(flows.map(({ id }) => id)), signal);
  enter('connections');
  for (let at = 0; at < flows.length; at += flowsAtOnce) {
    signal.throwIfAborted();
    await db.write((writer) => eraseFlows(writer, flows.slice(at, at + flowsAtOnce)));
  }
  enter('traces');
  const alerts = await db.write((writer) => eraseTraces(writer, { holdings, before, now }));
  const destinations = await db.save((writer) => eraseOrphans(writer, flows));
  enter('compacting');
  await db.compact();
  enter('done');
  return { connections: flows.length, destinations, alerts };
}

function listFlows(db: Db, holdings: readonly HeldAddress[], before: number): FlowRow[] {
  const select = db.prepare(
    `SELECT f.id, f.destination_id AS destination, f.threat_id AS threat FROM flow f JOIN source s ON s.id = f.source_id
     WHERE s.address = @address AND f.last_seen >= @from AND f.first_seen <= @to AND f.last_seen < @before`,
  );
  const rows = holdings.flatMap((holding) => select.all({ ...holding, before }) as FlowRow[]);
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** Removes the flows from the hours. These rows name no destination, but SQLite may give the id of an erased flow to another one. */
async function eraseHours(db: Db, ids: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
  const list = JSON.stringify([...ids]);
  await db.write((writer) => {
    for (const table of ['flow_hour', 'session_start']) {
      writer.prepare(`DELETE FROM ${table} WHERE flow_id IN (SELECT value FROM json_each(?))`).run(list);
    }
  });
  const hours = db.prepare('SELECT hour FROM flow_hour_pack').pluck().all() as number[];
  for (let at = 0; ids.size > 0 && at < hours.length; at += packsAtOnce) {
    signal.throwIfAborted();
    await db.write((writer) => repackHours(writer, hours.slice(at, at + packsAtOnce), ids));
  }
}

function* repackHours(writer: Writer, hours: readonly number[], ids: ReadonlySet<number>): WriteSteps<void> {
  const find = writer.prepare('SELECT flows, spans FROM flow_hour_pack WHERE hour = ?');
  const save = writer.prepare('UPDATE flow_hour_pack SET flows = ?, spans = ? WHERE hour = ?');
  const rows = new HourRows();
  for (const hour of hours) {
    const pack = find.get(hour) as { flows: Uint8Array; spans: Uint8Array } | undefined;
    if (pack) {
      rows.unpack(pack);
      const packing = createHourPacking();
      let kept = 0;
      for (let row = 0; row < rows.length; row += 1) {
        const flow = rows.flow[row] as number;
        if (!ids.has(flow)) {
          packing.add(flow, rows.observations[row] as number, rows.first[row] as number, rows.last[row] as number);
          kept += 1;
        }
      }
      if (kept < rows.length) {
        const { flows, spans } = packing.pack();
        save.run(flows, spans, hour);
      }
    }
    yield;
  }
}

/** Deletes flows; their links and retro-matches go with them. The last row makes readers with flows in memory read all again. */
function* eraseFlows(writer: Writer, flows: readonly FlowRow[]): WriteSteps<void> {
  const remove = writer.prepare('DELETE FROM flow WHERE id = ?');
  for (const { id } of flows) {
    remove.run(id);
    yield;
  }
  writer.prepare('INSERT INTO flow_change (flows, total) VALUES (NULL, 0)').run();
}

/** SQL for an event without its facts. Its title stays, because titles name no destination. */
const withoutFacts = `json_set(json_remove(content, '$.body', '$.link', '$.actionLink'), '$.facts', json('[]'))`;

/** Returns how many alerts went: those without a detection of another device. */
function* eraseTraces(
  writer: Writer,
  { holdings, before, now }: Pick<Erasure, 'holdings' | 'before' | 'now'>,
): WriteSteps<number> {
  const countAlerts = writer.prepare('SELECT count(*) FROM alert').pluck();
  const alerts = countAlerts.get() as number;
  const scope =
    'l.src = @address AND l.dst IS NOT NULL AND l.detected_at BETWEEN @from AND @to AND l.detected_at < @before';
  const keys = `SELECT l.chat_key FROM detection l WHERE ${scope}
    UNION SELECT 'resolved|' || e.id FROM alert_event e JOIN detection l ON l.alert_id = e.alert_id WHERE ${scope}`;
  const messages = `SELECT message_id FROM outbox_event WHERE key IN (${keys})`;
  const statements = [
    // A message that is being tried may have events of other devices: these are told in another one.
    `UPDATE outbox_event SET message_id = NULL WHERE key NOT IN (${keys}) AND message_id IN (${messages})
       AND message_id IN (SELECT id FROM outbox_message WHERE state = 'open')`,
    `UPDATE outbox_message SET state = 'given_up', ended_at = @now WHERE state = 'open' AND id IN (${messages})`,
    `UPDATE outbox_event SET withdrawn_at = @now WHERE message_id IS NULL AND withdrawn_at IS NULL AND key IN (${keys})`,
    `UPDATE outbox_message SET text = '' WHERE state <> 'open' AND id IN (${messages})`,
    `UPDATE outbox_event SET content = ${withoutFacts} WHERE withdrawn_at IS NOT NULL AND key IN (${keys})`,
    `UPDATE outbox_event SET content = ${withoutFacts} WHERE message_id IN (SELECT id FROM outbox_message WHERE state <> 'open')
       AND key IN (${keys})`,
    `DELETE FROM alert_rule WHERE alert_id IN (SELECT l.alert_id FROM detection l WHERE ${scope})
       AND NOT EXISTS (SELECT 1 FROM detection o WHERE o.alert_id = alert_rule.alert_id AND o.src <> @address)`,
    `DELETE FROM detection AS l WHERE ${scope}`,
    "DELETE FROM detection_told WHERE device = @address AND type <> 'new_device' AND at BETWEEN @from AND @to AND at < @before",
    'DELETE FROM beacon WHERE src = @address AND last_seen >= @from AND first_seen <= @to AND last_seen < @before',
    'DELETE FROM router_session WHERE src = @address AND last_seen >= @from AND first_seen <= @to AND last_seen < @before',
    `UPDATE agent_observation SET remote_address = '${unkeptAddress}', remote_port = 1, process = '-', process_id = 0,
       bundle_id = NULL
     WHERE local_address = @address AND last_at >= @from AND first_at <= @to AND last_at < @before`,
  ].map((sql) => writer.prepare(sql));
  for (const { address, from, to } of holdings) {
    for (const statement of statements) {
      statement.run({ address, from, to, before, now });
      yield;
    }
  }
  return alerts - (countAlerts.get() as number);
}

/** Destinations and verdicts of erased connections that no other connection has; returns the number of destinations. */
function* eraseOrphans(writer: Writer, flows: readonly FlowRow[]): WriteSteps<number> {
  const isUsed = writer.prepare('SELECT 1 FROM flow WHERE destination_id = ? LIMIT 1');
  const answers = writer.prepare('DELETE FROM destination_answer WHERE destination_id = ?');
  const remove = writer.prepare('DELETE FROM destination WHERE id = ?');
  const verdict = writer.prepare(
    'DELETE FROM threat WHERE id = @id AND NOT EXISTS (SELECT 1 FROM flow WHERE threat_id = @id)',
  );
  let removed = 0;
  for (const id of new Set(flows.map(({ destination }) => destination))) {
    if (isUsed.get(id) === undefined) {
      answers.run(id);
      removed += remove.run(id).changes;
    }
    yield;
  }
  for (const id of new Set(flows.map(({ threat }) => threat))) {
    if (id !== null) {
      verdict.run({ id });
    }
  }
  return removed;
}
