// Tells people when routers cannot be reached: each by itself, or one event for the cause when all fail at once.
import { isoTime } from '#kernel/time/clock.ts';
import { createUnderWay } from '#kernel/time/under-way.ts';
import type { Base } from '../../base/feature.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import type { Telling, ToldEvent } from '../../base/told-event.ts';
import { getRouterName } from './public-router.ts';

/** Why a poll failed. A router that is not tried again waits for its password: it can be reached. */
export interface FailedPoll {
  message: string;
  isTriedAgain: boolean;
}

export type Outages = ReturnType<typeof createOutages>;

interface OutagesOptions extends Pick<Base, 'clock' | 'db' | 'log'> {
  telling: Telling;
  routers: () => readonly RouterRecord[];
}

interface Failing {
  polls: number;
  since: number;
  reason: string;
}

/** Polls that fail in a row before people are told: with the back-off, about seven minutes. */
const toldPolls = 3;
/** The subject of the event that no router can be reached. */
const network = 'network';

export function createOutages({ clock, db, log, telling, routers }: OutagesOptions) {
  const failing = new Map<string, Failing>();
  const reached = new Set<string>();
  const readTold = () => {
    const rows = db.prepare('SELECT subject, key FROM router_outage').all() as { subject: string; key: string }[];
    return new Map(rows.map(({ subject, key }) => [subject, key]));
  };
  /** Outages that people were told of, and the keys of their events. */
  let told = readTold();
  const writing = createUnderWay();

  const tell = (subject: string, event: ToldEvent) => {
    const after = told.get(subject);
    const isOver = event.state === 'resolved';
    const change = isOver
      ? 'DELETE FROM router_outage WHERE subject = ?'
      : 'INSERT OR REPLACE INTO router_outage VALUES (?, ?)';
    if (isOver) {
      told.delete(subject);
    } else {
      told.set(subject, event.key);
    }
    const options = { toChat: false, ...(isOver && after && { after: [after] }) };
    const written = db.write((writer) => {
      writer.prepare(change).run(...(isOver ? [subject] : [subject, event.key]));
      telling.put(writer, event, event.at, options);
    });
    void writing.track(
      written.then(telling.wake).catch((error: unknown) => {
        log.error({ err: error }, 'an outage of a router could not be stored; the next poll tries again');
        told = readTold();
      }),
    );
  };
  const raise = (subject: string, record: RouterRecord | null, { since, reason }: Failing) => {
    const title = record ? 'A router cannot be reached' : "No router can be reached: check the hub's own network";
    const facts = [
      ...(record ? [nameOf(record)] : []),
      toSince(since),
      { name: 'reason', label: 'Reason', value: reason } as const,
    ];
    tell(subject, createEvent(`router|${subject}|${clock.now()}`, 'raised', title, facts, clock.now()));
  };
  const resolve = (subject: string, record: RouterRecord | null) => {
    const key = `${told.get(subject)}|resolved`;
    const title = record ? 'A router can be reached again' : 'Routers can be reached again';
    tell(subject, createEvent(key, 'resolved', title, record ? [nameOf(record)] : [], clock.now()));
  };

  const judge = () => {
    const all = routers().filter(({ enabled }) => enabled);
    for (const subject of told.keys()) {
      if (subject !== network && !all.some(({ id }) => id === subject)) {
        told.delete(subject);
      }
    }
    const down = all.flatMap((record) => {
      const how = failing.get(record.id);
      return how ? [{ record, how }] : [];
    });
    const isUp = all.some(({ id }) => reached.has(id));
    if (told.has(network) && isUp) {
      resolve(network, null);
      // The other routers may be waiting for their next try, so their failures count from now on.
      failing.clear();
      return;
    }
    for (const record of all.filter(({ id }) => reached.has(id) && told.has(id))) {
      resolve(record.id, record);
    }
    const isAtOnce = all.length > 1 && down.length === all.length && !down.some(({ record }) => told.has(record.id));
    const late = down.filter(({ how }) => how.polls >= toldPolls);
    const [first] = late;
    if (isAtOnce || told.has(network)) {
      if (first && late.length === all.length && !told.has(network)) {
        raise(network, null, first.how);
      }
      return;
    }
    for (const { record, how } of late.filter((one) => !told.has(one.record.id))) {
      raise(record.id, record, how);
    }
  };

  return {
    /** Notes how a poll of a router ended; null when it was read. */
    note(id: string, failed: FailedPoll | null) {
      reached.delete(id);
      if (failed?.isTriedAgain) {
        const before = failing.get(id) ?? { polls: 0, since: clock.now() };
        failing.set(id, { ...before, polls: before.polls + 1, reason: failed.message });
      } else {
        failing.delete(id);
        reached.add(id);
      }
      judge();
    },
    settled: writing.settled,
  };
}

function nameOf(record: RouterRecord) {
  return { name: 'router', label: 'Router', value: getRouterName(record) } as const;
}

function toSince(at: number) {
  return { name: 'since', label: 'Since', value: `${isoTime(at).slice(0, 19)}Z` } as const;
}

function createEvent(
  key: string,
  state: ToldEvent['state'],
  title: string,
  facts: ToldEvent['facts'],
  at: number,
): ToldEvent {
  return { key, kind: 'router', state, level: 'warning', at, title, facts };
}
