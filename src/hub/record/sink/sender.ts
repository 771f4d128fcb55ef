// Brings closed hours to ClickHouse: looks at the log, builds a unit in a thread, inserts its bodies, notes what is there.

import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { insertRows, type RowsClient } from '../../base/clickhouse-rows.ts';
import type { SinkSettings } from '../../base/settings/sink.ts';
import type { ClosedHours, Unit } from '../connections/closed-hours/type.ts';
import { type ColumnName, tableName } from './schema.ts';
import { type SinkFailure, toSinkFailure } from './sink-failure.ts';
import type { SinkStore } from './sink-store.ts';

export interface SenderOptions {
  clock: Clock;
  settings: SinkSettings;
  store: SinkStore;
  hours: ClosedHours;
  /** The columns of a unit's rows. */
  columns: readonly ColumnName[];
  client: RowsClient;
  /** Rest between two inserts. */
  paceMs?: number;
}

/** Names the destination of rows: what one destination has confirmed, another one may not have. */
export const sinkTarget = ({ url, database, hub }: SinkSettings): string => `${url.origin} ${database} ${hub}`;

export type Step =
  /** ClickHouse took an insert, or the rows of the hours had not changed. */
  | { did: 'sent'; hours: number; rows: number }
  | { did: 'failed'; failure: SinkFailure }
  /** Nothing is due. */
  | { did: 'nothing' };

export interface Sender {
  /** Finds hours that are closed, changed or new. With `sweeps`, compares all hours of the log. */
  look(signal: AbortSignal, options?: { sweeps: boolean }): Promise<void>;
  /** One insert, or the same one again after a failure. Rejects with the reason of `signal` when it is aborted. */
  step(signal: AbortSignal): Promise<Step>;
}

/** Hours before a new one that are compared again with it. */
const recentHours = 24;
/** Hours of one unit at most. */
const maxHours = 500;

/** A unit that is being sent. Each try sends the same bytes, so that the server recognises them. */
interface Pending {
  unit: Unit;
  looks: ReadonlyMap<number, number>;
  inserted: number;
}

export function createSender({ clock, settings, store, hours, columns, client, ...options }: SenderOptions): Sender {
  const { paceMs = limits.sinkPaceMs } = options;
  const state = { pending: null as Pending | null, insertedAt: Number.NEGATIVE_INFINITY, singly: 0 };
  const build = async (signal: AbortSignal): Promise<Pending | null> => {
    const { wanted, looks } = store.due(clock.now(), state.singly > 0 ? 1 : maxHours);
    if (wanted.length === 0) {
      return null;
    }
    const version = await store.nextVersion(clock.now());
    const params = { wanted, hub: settings.hub, version, bodyRows: limits.sinkBatchRows };
    return { unit: await hours.unit(params, signal), looks, inserted: 0 };
  };
  const insert = async ({ bytes, digest }: Unit['bodies'][number], signal: AbortSignal) => {
    const restMs = paceMs - (clock.now() - state.insertedAt);
    if (restMs > 0) {
      await clock.sleep(Math.min(restMs, paceMs), signal);
    }
    state.insertedAt = clock.now();
    await insertRows(client, {
      table: tableName,
      columns,
      bytes,
      signal,
      settings: {
        insert_deduplicate: 1,
        // Stable over tries: an insert whose answer was lost is not carried out twice.
        insert_deduplication_token: digest.slice(0, 32),
        async_insert: 0,
        distributed_foreground_insert: 1,
      },
    });
  };
  const finish = async ({ unit, looks }: Pending): Promise<Step> => {
    await store.sent(unit, looks, clock.now());
    state.pending = null;
    state.singly = Math.max(state.singly - unit.hours.length, 0);
    const sent = unit.hours.filter(({ isSent }) => !isSent);
    return { did: 'sent', hours: sent.length, rows: sent.reduce((sum, { rows }) => sum + rows, 0) };
  };
  /** One bad row must not hold back the others: hours are tried one by one, and the hour with the bad row is set aside. */
  const setAside = async ({ unit }: Pending): Promise<void> => {
    state.pending = null;
    const tried = unit.hours.filter(({ isSent }) => !isSent);
    if (tried.length > 1) {
      state.singly = unit.hours.length;
    } else {
      await Promise.all(tried.map(({ hour }) => store.refused(hour, clock.now())));
      state.singly = Math.max(state.singly - 1, 0);
    }
  };
  return {
    async look(signal, asked = { sweeps: false }) {
      const { position, sweptAt } = store.state();
      const now = clock.now();
      const closedAt = now - limits.sinkGraceMs;
      const found = await hours.look({ position, closedAt, known: store.known() }, signal);
      // The first look compares all hours anyway: everything may have changed.
      const sweeps = asked.sweeps || Math.abs(now - (sweptAt ?? now)) >= limits.sinkSweepMs;
      await store.found(found, { sweeps, recent: recentHours, closedAt, now });
    },
    async step(signal) {
      state.pending ??= await build(signal);
      const { pending } = state;
      if (pending === null) {
        return { did: 'nothing' };
      }
      const body = pending.unit.bodies[pending.inserted];
      if (body === undefined) {
        return finish(pending);
      }
      try {
        await insert(body, signal);
      } catch (error) {
        signal.throwIfAborted();
        const failure = toSinkFailure(error, settings);
        if (failure.kind === 'rows') {
          await setAside(pending);
        }
        return { did: 'failed', failure };
      }
      pending.inserted += 1;
      return pending.inserted < pending.unit.bodies.length ? { did: 'sent', hours: 0, rows: 0 } : finish(pending);
    },
  };
}
