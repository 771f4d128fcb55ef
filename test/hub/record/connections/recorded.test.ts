// What the log holds after any sequence of tables and deliveries, against a plain model: rows, hours, times, and what changed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Evidence } from '#contract/uncertainty.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { type FlowChange, readChanges } from '#hub/record/connections/store/change-log.ts';
import type { AgentKnowledge, FlowCounts } from '#hub/record/connections/store/observation.ts';
import { type ObserverKind, readObserverSets } from '#hub/record/connections/store/observer-set.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { type ConnectionLog, noon, openConnectionLog, openReader, seen } from '../../../support/connection-log.ts';
import { hourRows } from '../../../support/hour-rows.ts';

const minute = 60_000;
const hourOf = (at: number) => Math.floor(at / 3_600_000);
const evidence: readonly Evidence[] = ['poll', 'entry_age', 'entry_timer', 'agent_event', 'agent_poll'];
const observers: Readonly<Record<string, ObserverKind>> = { r1: 'vendor_a', r2: 'vendor_b', agent: 'agent' };

const whole = (steps: number) => fc.integer({ min: -steps, max: steps });
const at = whole(8).map((steps) => noon + steps * 13 * minute);
const span = (before: fc.Arbitrary<number | null>) =>
  fc.record({ before, after: fc.nat(3).map((steps) => steps * minute), by: fc.constantFrom(...evidence) });
const row = fc.record({
  dport: fc.integer({ min: 1, max: 3 }),
  at,
  startsBefore: fc.constantFrom(0, 0, minute, 70 * minute),
  sport: fc.option(fc.integer({ min: 1, max: 9 })),
  ttl: fc.option(fc.integer({ min: 1, max: 9 })),
  times: fc.option(
    fc.record({ first: span(fc.constantFrom(null, 0, 5, 7 * minute)), last: span(fc.constantFrom(null, 0, 9)) }),
    { freq: 9 },
  ),
  pid: fc.constantFrom(0, 7),
  bytesIn: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n })),
  bytesOut: fc.option(fc.bigInt({ min: 0n, max: 9n })),
});
const batch = fc.record({
  observer: fc.constantFrom('r1', 'r1', 'r2', 'agent'),
  rows: fc.uniqueArray(row, { selector: ({ dport }) => dport, minLength: 1, maxLength: 3 }),
  ends: fc.option(
    fc.record({
      at,
      isAll: fc.boolean(),
      flows: fc.array(fc.record({ dport: fc.integer({ min: 1, max: 4 }), isListed: fc.boolean() }), { maxLength: 3 }),
    }),
  ),
  packedTo: fc.option(at, { freq: 2 }),
});
type Batch = typeof batch extends fc.Arbitrary<infer T> ? T : never;
type Row = Batch['rows'][number];

interface Span {
  from: number | null;
  to: number;
  by: Evidence;
}

interface Flow {
  first: number;
  last: number;
  sport: number | null;
  ttl: number | null;
  by: Set<string>;
  listedBy: Set<string>;
  times: { first: Span; last: Span } | null;
  agent: AgentKnowledge | null;
  hours: Map<number, { observations: number; first: number; last: number }>;
}

const startOf = (one: Row) => one.at - one.startsBefore;

function timesOf({ times, ...one }: Row): Flow['times'] {
  const spanAt = (instant: number, { before, after, by }: NonNullable<typeof times>['first']) => ({
    from: before === null ? null : instant - before,
    to: instant + after,
    by,
  });
  return times && { first: spanAt(startOf(one as Row), times.first), last: spanAt(one.at, times.last) };
}

const agentOf = (one: Row): AgentKnowledge => ({
  ...{ host: 'desk', process: `p${one.at}`, pid: one.pid, bytesIn: one.bytesIn, bytesOut: one.bytesOut },
});

/** Earlier first packet, later last packet; of equal ends the older statement holds. */
function joined(old: NonNullable<Flow['times']>, now: NonNullable<Flow['times']>): NonNullable<Flow['times']> {
  const froms = [old.last.from, now.last.from].filter((from) => from !== null);
  const isUnknown = old.first.from === null || now.first.from === null;
  return {
    first: {
      from: isUnknown ? null : Math.min(old.first.from ?? 0, now.first.from ?? 0),
      to: Math.min(old.first.to, now.first.to),
      by: now.first.to < old.first.to ? now.first.by : old.first.by,
    },
    last: {
      from: froms.length === 0 ? null : Math.max(...froms),
      to: Math.max(old.last.to, now.last.to),
      by: now.last.to > old.last.to ? now.last.by : old.last.by,
    },
  };
}

const sum = (one: bigint | null, other: bigint | null) => (one === null ? other : one + (other ?? 0n));

class Model {
  readonly flows = new Map<number, Flow>();
  /** Hours of flows that the last batch changed. */
  touched = new Set<string>();

  record({ observer, rows, ends }: Batch): FlowCounts {
    this.touched = new Set();
    if (ends) {
      this.#end(observer, ends);
    }
    const recorded = { added: 0, renewed: 0, unchanged: 0 };
    for (const one of rows) {
      recorded[this.#see(observer, one)] += 1;
    }
    return recorded;
  }

  #end(observer: string, { at: endedAt, isAll, flows }: NonNullable<Batch['ends']>): void {
    const all = [...this.flows].filter(([, flow]) => flow.listedBy.has(observer));
    const ended = isAll ? all.map(([dport]) => ({ dport, isListed: false })) : flows;
    for (const { dport, isListed } of ended) {
      const flow = this.flows.get(dport);
      if (flow?.times) {
        flow.times = { ...flow.times, last: { ...flow.times.last, to: Math.max(flow.times.last.to, endedAt) } };
      }
      if (!isListed) {
        flow?.listedBy.delete(observer);
      }
    }
  }

  #see(observer: string, one: Row): keyof FlowCounts {
    const isAgent = observer === 'agent';
    const [startedAt, times, told] = [startOf(one), timesOf(one), isAgent ? agentOf(one) : null];
    const known = this.flows.get(one.dport);
    if (known === undefined) {
      const flow: Flow = {
        ...{ first: startedAt, last: one.at, sport: one.sport, ttl: one.ttl, times, agent: told },
        ...{ by: new Set([observer]), listedBy: new Set(isAgent ? [] : [observer]), hours: new Map() },
      };
      this.flows.set(one.dport, flow);
      this.#touch(one.dport, flow, one.at, 1);
      if (startedAt !== one.at) {
        this.#touch(one.dport, flow, startedAt, 0);
      }
      return 'added';
    }
    const isNew = !known.by.has(observer);
    const isNews = (instant: number) => isNew || instant < known.first || instant > known.last;
    const [isAtNews, isStartNews] = [isNews(one.at), isNews(startedAt)];
    const { first, last } = known;
    const isLatest = one.at >= last;
    const merged = known.times && times ? joined(known.times, times) : times;
    if (merged && known.times === null) {
      merged.first = { ...merged.first, from: null, to: Math.min(first, merged.first.to) };
      merged.last = { ...merged.last, to: Math.max(last, merged.last.to) };
    } else if (merged && known.times && times?.first.from === null && !isNew) {
      merged.first = known.times.first;
    }
    const isListedNow = !isAgent && !known.listedBy.has(observer);
    if (isAtNews || isStartNews || isListedNow || isLater(known.times, merged)) {
      known.times = merged;
    }
    if (isAtNews || isStartNews) {
      known.sport = isLatest ? (one.sport ?? known.sport) : (known.sport ?? one.sport);
      known.ttl = isLatest ? (one.ttl ?? known.ttl) : (known.ttl ?? one.ttl);
    }
    if (told) {
      const newer = isLatest || known.agent === null ? told : known.agent;
      const bytes = (name: 'bytesIn' | 'bytesOut') => sum(known.agent?.[name] ?? null, told[name]);
      known.agent = { ...newer, bytesIn: bytes('bytesIn'), bytesOut: bytes('bytesOut') };
    }
    const before = this.touched.size;
    if (isAtNews || hourOf(one.at) !== hourOf(last)) {
      this.#touch(one.dport, known, one.at, 1);
    }
    if (startedAt !== one.at && isStartNews) {
      this.#touch(one.dport, known, startedAt, 0);
    }
    known.first = Math.min(first, startedAt);
    known.last = Math.max(last, one.at);
    known.by.add(observer);
    if (!isAgent) {
      known.listedBy.add(observer);
    }
    return isAtNews || isStartNews || told || this.touched.size > before ? 'renewed' : 'unchanged';
  }

  #touch(dport: number, { hours }: Flow, instant: number, observations: number): void {
    const span = hours.get(hourOf(instant)) ?? { observations: 0, first: Number.POSITIVE_INFINITY, last: 0 };
    if (instant < span.first || instant > span.last) {
      const [first, last] = [Math.min(span.first, instant), Math.max(span.last, instant)];
      hours.set(hourOf(instant), { observations: span.observations + observations, first, last });
      this.touched.add(`${hourOf(instant)} ${dport}`);
    }
  }
}

/** A table without timers repeats with each read that a packet may have come since: that alone is not stored. */
function isLater(before: Flow['times'], now: Flow['times']): boolean {
  if (before === null || now === null) {
    return now !== null;
  }
  return now.last.to > before.last.to && !(now.last.by === 'poll' && before.last.by === 'poll');
}

function expectedOf({ flows }: Model) {
  const kinds = (names: Set<string>) => [...names].map((name) => observers[name] ?? 'agent').sort();
  const isRouter = (name: string) => name !== 'agent';
  return [...flows]
    .sort(([a], [b]) => a - b)
    .map(([dport, { by, listedBy, agent, hours, ...flow }]) => ({
      ...{ dport, ...flow },
      by: [...by].filter(isRouter).sort(),
      source: kinds(by)
        .filter((kind) => kind !== 'agent' || by.size === 1)
        .join('+'),
      listedBy: [...listedBy].sort(),
      agent: agent && [agent.host, agent.process, agent.pid || null, agent.bytesIn, agent.bytesOut].map(textOf),
      hours: [...hours].sort(([a], [b]) => a - b).map(([hour, one]) => ({ hour, ...one })),
    }));
}

const textOf = (value: unknown) => (value === null ? null : String(value));

function storedOf({ db }: ConnectionLog) {
  const sets = readObserverSets(db);
  const hours = Map.groupBy(hourRows(db), ({ flow }) => flow);
  const rows = db.prepare('SELECT * FROM flow ORDER BY dport').all() as StoredFlow[];
  const spanOf = (instant: number, early: number | null, late: number, by: number): Span => ({
    ...{ from: early === null ? null : instant - early, to: instant + late, by: evidence[by] as Evidence },
  });
  return rows.map((row) => {
    const { first_seen: first, last_seen: last, seen_by: by, observer_set_id: set, sport, ttl, dport } = row;
    const agent = [row.agent_host, row.process, row.pid, row.bytes_in, row.bytes_out].map(textOf);
    const times =
      by === null
        ? null
        : {
            first: spanOf(first, row.first_early, row.first_late, by >> 4),
            last: spanOf(last, row.last_early, row.last_late, by & 15),
          };
    return {
      ...{ dport, first, last, sport, ttl, times },
      by: sets.get(set)?.observedBy,
      source: sets.get(set)?.source,
      listedBy: row.listed_by === null ? [] : sets.get(row.listed_by)?.observedBy,
      agent: row.agent_host === null ? null : agent,
      hours: (hours.get(row.id) ?? []).map(({ flow: _, ...one }) => one),
    };
  });
}

/** Columns of `flow` that the model knows; those of times are there together. */
interface StoredFlow extends Record<'id' | 'dport' | 'first_seen' | 'last_seen' | 'observer_set_id', number> {
  sport: number | null;
  ttl: number | null;
  first_early: number | null;
  first_late: number;
  last_early: number | null;
  last_late: number;
  seen_by: number | null;
  listed_by: number | null;
  agent_host: string | null;
  process: string | null;
  pid: number | null;
  bytes_in: string | null;
  bytes_out: string | null;
}

/** Hours and flows that a batch says it changed: `hour port`. */
function changedHours(changes: readonly FlowChange[], ports: ReadonlyMap<number, number>) {
  return changes.flatMap(({ flows, hour, rows }) => [
    ...[...flows].map((flow) => `${hour} ${ports.get(flow)}`),
    ...Array.from({ length: rows.length / 2 }, (_, at) => `${rows[2 * at]} ${ports.get(rows[2 * at + 1] as number)}`),
  ]);
}

test('rows, hours, times and changes are those of the model after each batch', async () => {
  await using log = openConnectionLog();
  using reader = openReader(log);
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 7 }), async (batches) => {
      await log.clear();
      const model = new Model();
      let { position } = readChanges(reader, null);
      for (const one of batches) {
        const now = noon + 200 * minute;
        const observations = one.rows.map((row) => {
          const own = { startedAt: startOf(row), times: timesOf(row) ?? undefined };
          return seen({ ...row, ...own, agent: one.observer === 'agent' ? agentOf(row) : undefined });
        });
        const { src, dst, proto } = seen();
        const flows = one.ends?.flows.map((flow) => ({ src, dst, proto, ...flow })) ?? [];
        const ends = one.ends && { ...one.ends, flows };
        const kind = observers[one.observer] ?? 'agent';
        const outcome: string[] = [];
        const onChanged = ({ dport }: { dport: number }, what: string) => void outcome.push(`${what} ${dport}`);
        const batch = { routerId: one.observer, kind, observations, ends, now, onChanged };
        const recorded = await recordObservations(log.db, batch);
        expect(recorded).toEqual(model.record(one));
        expect(outcome).toHaveLength(recorded.added + recorded.renewed);
        if (one.packedTo !== null) {
          await packHours(log.db, one.packedTo);
        }
        expect(storedOf(log)).toEqual(expectedOf(model));
        const sets = log.db.prepare('SELECT members FROM observer_set').pluck().all() as string[];
        expect(sets).toEqual(
          sets.map((members) =>
            members
              .split(',')
              .sort((a, b) => Number(a) - Number(b))
              .join(),
          ),
        );
        const ports = new Map(log.db.prepare('SELECT id, dport FROM flow').raw().all() as [number, number][]);
        const since = readChanges(reader, position);
        position = since.position;
        const told = changedHours(since.changes ?? [], ports);
        expect([...model.touched].filter((hour) => !told.includes(hour))).toEqual([]);
        // A flow that changed is named with the hour of the batch; nothing else is named that did not change.
        const extra = told.filter((hour) => !model.touched.has(hour));
        const named = extra.map((hour) => hour.split(' ')).map(([hour, port]) => [Number(hour), Number(port)]);
        const isNamed = ([hour, port]: number[]) =>
          hour === hourOf(now) && outcome.some((what) => what.endsWith(` ${port}`));
        expect(named.filter((pair) => !isNamed(pair))).toEqual([]);
      }
      const starts = batches.flatMap(({ rows }) => rows.map(startOf));
      for (const table of ['source', 'destination']) {
        expect(log.db.prepare(`SELECT first_seen FROM ${table}`).pluck().all()).toEqual([Math.min(...starts)]);
      }
    }),
    { numRuns: 100, endOnFailure: true },
  );
});
