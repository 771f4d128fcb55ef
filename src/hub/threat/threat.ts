// The threat feeds at work: fetched when due, kept, built into tables that judge flows; what changed judges the log anew.
import { limits } from '#contract/limits.ts';
import { type Feed, feedNames } from '#contract/threat.ts';
import { type Clock, nextTurn } from '#kernel/clock.ts';
import { startJob } from '#kernel/job.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import type { Judge } from '../connections/knowledge.ts';
import type { Rejudged, Rejudging } from '../connections/rejudge.ts';
import type { SettingsDocument } from '../settings/document.ts';
import { type FeedFacts, falsePositivesOf, feedOf } from './feed-state.ts';
import type { Indicator } from './indicator.ts';
import { createJudge, isListed } from './judge.ts';
import { type PartName, partNames, parts } from './parts.ts';
import { isUnlocked, refreshPart } from './refresh.ts';
import { judgedVersion, type PartRecords, readDocument, readRecords, saveJudgedVersion, saveRecord } from './store.ts';
import { indicatorsOf, type Tables } from './tables/tables.ts';
import { buildInThread } from './thread.ts';
import type { Built } from './thread-tasks.ts';

export interface ThreatOptions {
  db: Db;
  clock: Clock;
  log: Log;
  document: SettingsDocument;
  /** Serves all publishers, each in a folder; null: they are asked at their own addresses. */
  mirror: URL | null;
  /** Nobody is asked; what is kept is used. */
  offline: boolean;
  /** Whether a client itself asked for `host` and got `address`. */
  isObserved: (address: string, host: string) => boolean;
  /** Judges flows of the log again. */
  rejudge: (what: Omit<Rejudging, 'judge'> & { judge: Judge }) => Promise<Rejudged>;
  /** Told when what is listed has changed, and the log was judged again. */
  onListed?: (rejudged: Rejudged) => Promise<void>;
}

export interface ThreatState {
  /** Something is listed: `safe` means that it was looked at. */
  available: boolean;
  /** Why not; null when available. */
  reason: 'offline_mode' | 'no_feed_enabled' | 'not_loaded' | null;
  /** When the oldest data in use was fetched. */
  fetchedAt: number | null;
  /** Changes when what is listed does. */
  version: string;
  feeds: Feed[];
  falsePositives: ReturnType<typeof falsePositivesOf>;
}

export interface Threat extends AsyncDisposable {
  judge: Judge;
  state(): ThreatState;
  /** Everything that is listed. */
  indicators(): Iterable<Indicator>;
  /** To be told when settings changed: does at once what follows from that. */
  settingsChanged(): void;
  /** To be told when destinations got names: their flows are judged again. */
  learnt(addresses: readonly string[]): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

interface InUse extends Built {
  /** Of the settings and documents they were built from. */
  madeOf: string;
  builtAt: number;
}

const pageRows = 1000;

/** Loads what is kept, so that the first poll is judged; then asks for what is due every minute. */
export async function startThreat(options: ThreatOptions): Promise<Threat> {
  const { db, clock, log, document } = options;
  const settings = () => document.current().threat;
  const stop = new AbortController();
  const held: { inUse: InUse | null; records: PartRecords } = { inUse: null, records: readRecords(db) };
  const judge = createJudge({
    listed: () => held.inUse?.listed ?? null,
    allowed: () => held.inUse?.allowed ?? null,
    isObserved: options.isObserved,
  });
  const usable = (name: PartName): boolean => {
    const { feed } = parts[name];
    return feed === null
      ? settings().feeds.feed_c2 || settings().feeds.feed_ioc || settings().feeds.feed_url
      : settings().feeds[feed];
  };

  const refreshDue = async () => {
    for (const name of options.offline ? [] : partNames) {
      const before = held.records[name];
      const { authKey } = settings();
      if (usable(name) && clock.now() >= before.nextAt && isUnlocked(name, before, authKey)) {
        const { mirror } = options;
        const { record, packed } = await refreshPart(name, before, { clock, mirror, authKey, signal: stop.signal });
        await saveRecord(db, name, record, packed);
        held.records = { ...held.records, [name]: record };
        if (record.failure !== null) {
          log.warn({ part: name, failure: record.failure }, 'a threat feed could not be fetched');
        }
      }
    }
  };

  const madeOf = () => {
    const { feeds, dropLevel, allowList } = settings();
    const documents = partNames.map((name) => held.records[name].sha256);
    return JSON.stringify({ feeds, dropLevel, allowList, documents });
  };

  const build = async (): Promise<boolean> => {
    const before = held.inUse;
    const made = madeOf();
    if (before?.madeOf === made && clock.now() - before.builtAt < limits.feedsRebuildMs) {
      return false;
    }
    const { dropLevel, allowList } = settings();
    const documents = partNames.filter(usable).flatMap((part) => {
      const packed = readDocument(db, part);
      return packed ? [{ part, packed }] : [];
    });
    const built = await buildInThread(
      {
        documents,
        allowList,
        dropGrade: dropLevel === 'danger' ? 2 : 1,
        now: clock.now(),
        before: before?.listed ?? null,
      },
      stop.signal,
    );
    held.inUse = { ...built, madeOf: made, builtAt: clock.now() };
    return versionOf(before) !== versionOf(held.inUse);
  };

  const judgeAgain = async (before: InUse | null) => {
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
    const isStep = before && versionOf(before) === judged && before.allowed.version === inUse.allowed.version;
    await saveJudgedVersion(db, 'under way');
    const destinations = isStep && inUse.changed ? await addressesOf(db, inUse.changed) : 'all';
    const rejudged = await options.rejudge({ judge, destinations, signal: stop.signal });
    await saveJudgedVersion(db, version);
    log.info(
      { ...inUse.counts, judged: rejudged.judged, changed: rejudged.changed },
      'the threat feeds list other things',
    );
    await options.onListed?.(rejudged);
  };

  const run = async () => {
    await refreshDue();
    const before = held.inUse;
    await build();
    await judgeAgain(before);
  };
  const failed = (error: unknown) => {
    if (!stop.signal.aborted) {
      log.error({ err: error }, 'the threat feeds could not be brought up to date');
    }
  };
  // Names do not wait for a publisher that does not answer.
  const queues = { feeds: Promise.resolve(), names: Promise.resolve() };
  const inQueue = (name: keyof typeof queues, work: () => Promise<void>) => {
    queues[name] = queues[name].then(work).catch(failed);
    return queues[name];
  };

  await build();
  const job = startJob(clock, log, {
    name: 'threat feeds',
    firstMs: limits.feedsFirstMs,
    everyMs: limits.feedsEveryMs,
    run: () => inQueue('feeds', run),
  });

  const facts = (): FeedFacts => ({
    records: held.records,
    counts: held.inUse?.counts ?? { feed_c2: 0, feed_ioc: 0, feed_url: 0, feed_drop: 0 },
    isEnabled: (feed) => settings().feeds[feed],
    authKey: settings().authKey,
    offline: options.offline,
    now: clock.now(),
  });
  return {
    judge,
    state() {
      const known = facts();
      const feeds = feedNames.map((name) => feedOf(name, known));
      const available = (held.inUse?.listed.feeds.length ?? 0) > 0;
      const isAnyOn = feedNames.some(known.isEnabled);
      const reason = options.offline ? 'offline_mode' : isAnyOn ? 'not_loaded' : 'no_feed_enabled';
      const fetched = feeds.flatMap(({ entries, fetchedAt }) => (entries > 0 && fetchedAt !== null ? [fetchedAt] : []));
      return {
        available,
        reason: available ? null : reason,
        fetchedAt: fetched.length > 0 ? Math.min(...fetched) : null,
        version: versionOf(held.inUse) ?? '',
        feeds,
        falsePositives: falsePositivesOf(known),
      };
    },
    indicators: () => (held.inUse ? indicatorsOf(held.inUse.listed) : []),
    settingsChanged: () => void inQueue('feeds', run),
    learnt(destinations) {
      const { signal } = stop;
      void inQueue('names', async () => {
        const rejudged = await options.rejudge({ judge, destinations, signal });
        if (rejudged.changed > 0) {
          await options.onListed?.(rejudged);
        }
      });
    },
    async settled() {
      await Promise.all(Object.values(queues));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await job[Symbol.asyncDispose]();
      await Promise.all(Object.values(queues));
    },
  };
}

function versionOf(inUse: InUse | null): string | null {
  return inUse && `${inUse.listed.version}-${inUse.allowed.version}`;
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
    await nextTurn();
  }
}
