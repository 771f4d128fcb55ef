// Which observers saw a flow, as one integer: joining another observer is a look-up, not a table of pairs.
import type { ObservedKinds } from '#contract/model.ts';
import type { RouterKind } from '#contract/routers.ts';
import { memoize } from '#kernel/memoize.ts';
import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';

export type ObserverKind = RouterKind | 'agent';

/** Who observed: a router or an Agent. */
export interface Observer {
  /** Stable id of the router, unchanged after its deletion; of an Agent, its own id. */
  routerId: string;
  kind: ObserverKind;
  /** Display name; the last one given holds. */
  name?: string;
}

/** How a connection shows its observers. */
export interface ObservedBy {
  /** Router ids, sorted. */
  observedBy: string[];
  source: ObservedKinds;
  hasAgent: boolean;
}

/** Returns the number of an observer, which is assigned on first sight. */
export function ensureObserver(writer: Writer, observer: Observer): number {
  const row = writer
    .prepare(
      `INSERT INTO observer (router_id, kind, name) VALUES (?, ?, ?)
       ON CONFLICT (router_id) DO UPDATE SET name = coalesce(excluded.name, name)
       RETURNING id`,
    )
    .get(observer.routerId, observer.kind, observer.name ?? null) as { id: number };
  return row.id;
}

/** Returns a cached function from a set (null: the empty one) to the set that also holds `observer`. */
export function createSetJoiner(writer: Writer, observer: number): (set: number | null) => number {
  return memoize((set) => {
    const members = set === null ? [] : readMembers(writer, set);
    return set !== null && members.includes(observer) ? set : ensureSet(writer, [...members, observer]);
  });
}

/** Returns a cached function from a set to the set without `observer`, null when that is empty. */
export function createSetLeaver(writer: Writer, observer: number): (set: number) => number | null {
  return memoize((set) => {
    const rest = readMembers(writer, set).filter((member) => member !== observer);
    return rest.length === 0 ? null : ensureSet(writer, rest);
  });
}

/** The sets that hold `observer`. */
export function findSetsWith(reader: Pick<Reader, 'prepare'>, observer: number): number[] {
  return readSets(reader)
    .filter(({ members }) => members.includes(observer))
    .map(({ id }) => id);
}

function ensureSet(writer: Writer, members: readonly number[]): number {
  const text = [...members].sort((a, b) => a - b).join(',');
  const row = writer
    .prepare(
      'INSERT INTO observer_set (members) VALUES (?) ON CONFLICT (members) DO UPDATE SET members = members RETURNING id',
    )
    .get(text) as { id: number };
  return row.id;
}

/** Reads the observers of a set, by their numbers. */
export function readMembers(reader: Pick<Reader, 'prepare'>, set: number): number[] {
  const row = reader.prepare('SELECT members FROM observer_set WHERE id = ?').get(set) as { members: string };
  return parseMembers(row.members);
}

/** Reads all sets as the API shows them. There are few: at most one for each combination of observers that occurred. */
export function readObserverSets(reader: Pick<Reader, 'prepare'>): Map<number, ObservedBy> {
  const observers = reader.prepare('SELECT id, router_id AS routerId, kind FROM observer').all() as ObserverRow[];
  const byId = new Map(observers.map((observer) => [observer.id, observer]));
  return new Map(
    readSets(reader).map(({ id, members }) => [id, toObservedBy(members.flatMap((member) => byId.get(member) ?? []))]),
  );
}

function readSets(reader: Pick<Reader, 'prepare'>): { id: number; members: number[] }[] {
  const sets = reader.prepare('SELECT id, members FROM observer_set').all() as { id: number; members: string }[];
  return sets.map(({ id, members }) => ({ id, members: parseMembers(members) }));
}

/** Whether an observer of this id has ever recorded anything: an Agent, or a router, deleted ones included. */
function hasObserved(reader: Pick<Reader, 'prepare'>, kind: 'router' | 'agent', id: string): boolean {
  const isKind = kind === 'agent' ? "kind = 'agent'" : "kind <> 'agent'";
  return reader.prepare(`SELECT 1 FROM observer WHERE router_id = ? AND ${isKind}`).get(id) !== undefined;
}

export type Observers = ReturnType<typeof createObservers>;

/** `routers` are the configured ones. */
export function createObservers(db: Pick<Reader, 'prepare'>, routers: () => readonly { id: string }[]) {
  return {
    /** Whether there is, or was, a router or an Agent of this id; a configured router that has observed nothing counts. */
    isKnown: (kind: 'router' | 'agent', id: string) =>
      hasObserved(db, kind, id) || (kind === 'router' && routers().some((router) => router.id === id)),
  };
}

interface ObserverRow {
  id: number;
  routerId: string;
  kind: ObserverKind;
}

function parseMembers(text: string): number[] {
  return text.split(',').map(Number);
}

function toObservedBy(observers: readonly ObserverRow[]): ObservedBy {
  const routers = observers.filter((observer) => observer.kind !== 'agent');
  return {
    observedBy: routers.map((router) => router.routerId).sort(),
    source: toObservedKinds(observers),
    hasAgent: routers.length < observers.length,
  };
}

function toObservedKinds(observers: readonly ObserverRow[]): ObservedKinds {
  const saw = (kind: ObserverKind) => observers.some((observer) => observer.kind === kind);
  if (saw('vendor_a')) {
    return saw('vendor_b') ? 'vendor_a+vendor_b' : 'vendor_a';
  }
  if (saw('vendor_b')) {
    return 'vendor_b';
  }
  return saw('agent') ? 'agent' : 'unknown';
}
