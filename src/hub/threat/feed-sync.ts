// Brings what is listed up to date: asks for what is due, builds tables of what is kept, judges the log by what changed.
import { limits } from '#contract/limits.ts';
import { type Clock, elapsed, yieldToEventLoop } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import type { Judge } from '../connections/store/facts.ts';
import type { Rejudged, Rejudging } from '../connections/upkeep/rejudge.ts';
import type { Settings } from '../settings/schema.ts';
import type { BuildTask, Built } from './build-tables.ts';
import { type PartName, partNames, parts } from './feed-documents.ts';
import { createJudge, isListed } from './judge.ts';
import { isUnlocked, refreshPart } from './refresh.ts';
import {
  attemptedBefore,
  judgedVersion,
  type PartRecords,
  readRecords,
  saveJudgedVersion,
  saveRecord,
} from './store.ts';
import { keptRows } from './stored-rows.ts';
import type { Tables } from './tables/tables.ts';
import { createFeedThread, type FeedThread } from './thread.ts';

export interface UpkeepOptions {
  db: Db;
  clock: Clock;
  log: Log;
  settings: () => Settings['threat'];
  /** Serves all publishers, each in a folder; null: they are asked at their own addresses. */
  mirror: URL | null;
  /** Nobody is asked; what is kept is used. */
  offline: boolean;
  /** Whether a client itself asked for `host` and got `address`. */
  isObserved: (address: string, host: string) => boolean;
  /** Judges flows of the log again. */
  rejudge: (what: Omit<Rejudging, 'judge'> & { judge: Judge }) => Promise<Rejudged>;
  /** Called when the log was judged again, and verdicts may have changed; `available`: something is listed. */
  onListed?: (rejudged: Rejudged, available: boolean) => Promise<void>;
  /** Of the program: rows of documents are kept for this one alone. */
  version: string;
  /** Aborted when the hub stops. */
  signal: AbortSignal;
}

export interface InUse extends Built {
  /** Of the settings and documents they were built from. */
  madeOf: string;
  builtAt: number;
}

export interface Upkeep {
  judge: Judge;
  records(): PartRecords;
  inUse(): InUse | null;
  /** Builds tables of what is kept. */
  load(): Promise<void>;
  /** Asks for what is due, and does what follows from that and from changed settings. */
  run(): Promise<void>;
  /** Judges the flows of these destinations again. */
  judgeAgain(destinations: readonly string[]): Promise<void>;
}

const pageRows = 1000;
/**
 * Raised when a reader makes something else of a document, or names stand otherwise: what is kept is then read again. A
 * new version of the program reads again anyway.
 */
const readers = 2;
/** In place of a version while the log is being judged: a start that finds it judges all of it. */
const underWay = 'under way';

export function createUpkeep(options: UpkeepOptions): Upkeep {
  const { db, clock, log, settings, signal } = options;
  const held: { inUse: InUse | null; records: PartRecords } = { inUse: null, records: readRecords(db) };
  const judge = createJudge({
    listed: () => held.inUse?.listed ?? null,
    allowed: () => held.inUse?.allowed ?? null,
    isObserved: options.isObserved,
  });

  const readBy = `${options.version}/${readers}`;

  const refreshDue = async (thread: FeedThread) => {
    for (const name of options.offline ? [] : partNames) {
      const before = attemptedBefore(clock.now(), held.records[name]);
      held.records = { ...held.records, [name]: before };
      const { authKey, feeds } = settings();
      if (isWanted(name, feeds) && clock.now() >= before.nextAt && isUnlocked(name, before, authKey)) {
        const { mirror } = options;
        const { record, fresh } = await refreshPart(name, before, { clock, mirror, authKey, thread, readBy, signal });
        await saveRecord(db, name, record, fresh);
        held.records = { ...held.records, [name]: record };
        if (record.failure !== null) {
          log.warn({ part: name, failure: record.failure }, 'a threat feed could not be fetched');
        }
      }
    }
  };

  const documentsOf = async (wanted: readonly PartName[], thread: FeedThread) => {
    const documents: BuildTask['documents'][number][] = [];
    for (const part of wanted) {
      const { rows, record } = await keptRows(part, held.records[part], { db, clock, log, thread, readBy });
      held.records = { ...held.records, [part]: record };
      documents.push(...(rows ? [{ part, rows }] : []));
    }
    return documents;
  };

  const build = async (thread: FeedThread) => {
    const before = held.inUse;
    const { feeds, dropLevel, allowList } = settings();
    const madeOfNow = () => {
      const hashes = partNames.map((name) => held.records[name].sha256);
      return JSON.stringify({ feeds, dropLevel, allowList, hashes });
    };
    if (before?.madeOf === madeOfNow() && elapsed(before.builtAt, clock.now()) < limits.feedsRebuildMs) {
      return;
    }
    const wanted = partNames.filter((name) => isWanted(name, feeds));
    const documents = await documentsOf(wanted, thread);
    // Most starts are first ones, or of hubs without feeds: no thread is started for nothing.
    if (documents.length === 0 && before === null && judgedVersion(db) === null) {
      return;
    }
    const dropGrade = dropLevel === 'danger' ? 2 : 1;
    const listedBefore = before?.listed ?? null;
    const task = { documents, allowList, dropGrade, now: clock.now(), before: listedBefore } as const;
    held.inUse = { ...(await thread.run('build', task)), madeOf: madeOfNow(), builtAt: clock.now() };
  };

  /** The whole log, unless it agrees with the tables before these. */
  const judgeChanged = async (before: InUse | null) => {
    const { inUse } = held;
    const version = versionOf(inUse);
    const judged = judgedVersion(db);
    if (!inUse || version === null || version === judged) {
      return;
    }
    if (judged === null && inUse.listed.feeds.length === 0) {
      await saveJudgedVersion(db, version);
      return;
    }
    const isStep = versionOf(before) === judged && before?.allowed.version === inUse.allowed.version;
    await saveJudgedVersion(db, underWay);
    const destinations = isStep && inUse.changed ? await addressesOf(db, inUse.changed) : 'all';
    const rejudged = await options.rejudge({ judge, destinations, signal });
    await saveJudgedVersion(db, version);
    const { judged: flows, changed } = rejudged;
    log.info({ ...inUse.counts, judged: flows, changed }, 'what is listed as a threat has changed');
    await options.onListed?.(rejudged, isAvailable(held.inUse));
  };

  return {
    judge,
    records: () => held.records,
    inUse: () => held.inUse,
    async load() {
      await using thread = createFeedThread(signal);
      await build(thread);
    },
    async run() {
      const before = held.inUse;
      {
        await using thread = createFeedThread(signal);
        await refreshDue(thread);
        await build(thread);
      }
      await judgeChanged(before);
    },
    async judgeAgain(destinations) {
      const rejudged = await options.rejudge({ judge, destinations, signal });
      if (rejudged.changed > 0) {
        await options.onListed?.(rejudged, isAvailable(held.inUse));
      }
    },
  };
}

/** Something is listed. */
export function isAvailable(inUse: InUse | null): boolean {
  return (inUse?.listed.feeds.length ?? 0) > 0;
}

/** What is in use, as one text; `null` before anything is. */
export function versionOf(inUse: InUse | null): string | null {
  return inUse && `${inUse.listed.version}-${inUse.allowed.version}`;
}

/** The list of what was taken back serves the feeds of abuse.ch. */
function isWanted(name: PartName, feeds: Settings['threat']['feeds']): boolean {
  const { feed } = parts[name];
  return feed === null ? feeds.feed_c2 || feeds.feed_ioc || feeds.feed_url : feeds[feed];
}

/** Destinations of the log that `tables` list, by their address or their name. */
async function addressesOf(db: Db, tables: Tables): Promise<string[]> {
  const page = db.prepare('SELECT id, address, host FROM destination WHERE id > ? ORDER BY id LIMIT ?');
  const found: string[] = [];
  for (let last = 0; ; ) {
    const rows = page.all(last, pageRows) as { id: number; address: string; host: string | null }[];
    for (const { id, address, host } of rows) {
      last = id;
      if (isListed(tables, address, host)) {
        found.push(address);
      }
    }
    if (rows.length < pageRows) {
      return found;
    }
    await yieldToEventLoop();
  }
}
