// Synchronises the feeds: fetches due documents, builds the tables, judges the log again by what changed.
import { limits } from '#contract/limits.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { elapsed, yieldToEventLoop } from '#kernel/time/clock.ts';
import type { Base } from '../../base/feature.ts';
import type { Settings } from '../../base/settings/schema.ts';
import type { RejudgeOptions, RejudgeReport } from '../../record/connections/upkeep/rejudge.ts';
import { beginJudging, readAgreedLists, readJudgedVersion, saveAgreement } from './agreement.ts';
import type { BuildTask, Built } from './build-tables.ts';
import { type DocumentName, documentNames, isWanted } from './feed-documents.ts';
import { createJudge, isListed } from './judge.ts';
import { findListChanges, type ListChanges, type ListStates } from './list-changes.ts';
import { isUnlocked, refreshDocument } from './refresh.ts';
import { clampToNow, type DocumentRecords, readRecords, saveRecord } from './store.ts';
import { loadStoredRows } from './stored-rows.ts';
import type { Tables } from './tables/tables.ts';
import { createFeedThread, type FeedThread } from './thread.ts';

export interface FeedSyncOptions extends Pick<Base, 'clock' | 'db' | 'log'> {
  settings: () => Settings['threat'];
  /** Serves all publishers, each in a folder; null: the publishers themselves are asked. */
  mirror: URL | null;
  /** No external service is queried; stored documents are used. */
  offline: boolean;
  /** Whether a client resolved `host` to `address`. */
  isObserved: (address: string, host: string) => boolean;
  /** Judges flows of the log again; `changes` are those of the lists that verdicts may follow from. */
  rejudge: (what: Omit<RejudgeOptions, 'noter'>, changes: ListChanges) => Promise<RejudgeReport>;
  /** Called when flows were judged again, and verdicts may have changed; `lists`: those in use, null when there is none. */
  onListed?: (
    rejudged: RejudgeReport,
    lists: ListsInUse | null,
    by: 'lists' | 'names',
    signal: AbortSignal,
  ) => Promise<void>;
  /** Called at the end of each run: the log agrees with the lists. */
  onAgreed?: (signal: AbortSignal) => Promise<void>;
  /** Version of the program: stored rows are only valid for it. */
  version: string;
  /** Aborted when the hub stops. */
  signal: AbortSignal;
}

export interface ActiveTables extends Built {
  /** The documents that were read. */
  parts: readonly DocumentName[];
  /** Fingerprint of the settings and documents. */
  builtFrom: string;
  builtAt: number;
}

export type FeedSync = ReturnType<typeof createFeedSync>;

const pageRows = 1000;
/**
 * Incremented when the parsers produce other rows: stored documents are then parsed again. A new version of the program
 * does so anyway.
 */
const parserVersion = 2;

/** The threat lists in use, and what excepts a destination from them. */
export interface ListsInUse {
  /** Tells whether the allow list of the settings has an address or its name. */
  isAllowed: (address: string, host: string | null) => boolean;
}

interface SyncState {
  active: ActiveTables | null;
  records: DocumentRecords;
}

interface SyncRun {
  options: FeedSyncOptions;
  state: SyncState;
  thread: FeedThread;
}

export function createFeedSync(options: FeedSyncOptions) {
  const { db, clock, log, settings, signal } = options;
  const state: SyncState = { active: null, records: readRecords(db) };
  const judge = createJudge({
    listed: () => state.active?.listed ?? null,
    allowed: () => state.active?.allowed ?? null,
    isObserved: options.isObserved,
  });

  const build = async (thread: FeedThread) => {
    const before = state.active;
    const { feeds, dropLevel, allowList } = settings();
    const fingerprint = () => {
      const hashes = documentNames.map((name) => state.records[name].sha256);
      return JSON.stringify({ feeds, dropLevel, allowList, hashes });
    };
    if (before?.builtFrom === fingerprint() && elapsed(before.builtAt, clock.now()) < limits.feedsRebuildMs) {
      return;
    }
    const wanted = documentNames.filter((name) => isWanted(name, feeds));
    const documents = await loadDocuments(wanted, { options, state, thread });
    // Nothing to build, as in most first starts: no thread is started.
    if (documents.length === 0 && before === null && readJudgedVersion(db) === null) {
      return;
    }
    const dropGrade = dropLevel === 'danger' ? 2 : 1;
    const listedBefore = before?.listed ?? null;
    const task = { documents, allowList, dropGrade, now: clock.now(), before: listedBefore } as const;
    const parts = documents.map(({ part }) => part);
    state.active = { ...(await thread.run('build', task)), parts, builtFrom: fingerprint(), builtAt: clock.now() };
  };

  /** The changes of lists that explain why verdicts change; empty while all stored verdicts agree with the tables. */
  const listChanges = (): ListChanges =>
    readJudgedVersion(db) === formatTablesVersion(state.active)
      ? {}
      : findListChanges(readAgreedLists(db), findListsInUse(state));

  /** Judges the destinations that changed, or the whole log when it was not judged with the previous tables. */
  const judgeChanged = async (before: ActiveTables | null) => {
    const { active } = state;
    const version = formatTablesVersion(active);
    const judged = readJudgedVersion(db);
    if (!active || version === null) {
      return;
    }
    const lists = findListsInUse(state);
    if (version === judged || (judged === null && active.listed.feeds.length === 0)) {
      await saveAgreement(db, version, lists);
      return;
    }
    const isStep = formatTablesVersion(before) === judged && before?.allowed.version === active.allowed.version;
    const changes = listChanges();
    await beginJudging(db);
    const destinations = isStep && active.changed ? await findListedDestinations(db, active.changed) : 'all';
    const rejudged = await options.rejudge({ judge, destinations, signal }, changes);
    await saveAgreement(db, version, lists);
    const { judged: flows, changed } = rejudged;
    log.info({ ...active.counts, judged: flows, changed }, 'what is listed as a threat has changed');
    await options.onListed?.(rejudged, toListsInUse(state.active), 'lists', signal);
  };

  return {
    judge,
    records: () => state.records,
    active: () => state.active,
    /** Builds the tables from stored documents. */
    async load() {
      await using thread = createFeedThread(signal);
      await build(thread);
    },
    /** Fetches due documents, then rebuilds the tables and judges the log as that and the settings require. */
    async run() {
      const before = state.active;
      {
        await using thread = createFeedThread(signal);
        await refreshDue({ options, state, thread });
        await build(thread);
      }
      await judgeChanged(before);
      await options.onAgreed?.(signal);
    },
    /** Judges the flows of these destinations again. */
    async rejudge(destinations: readonly string[]) {
      const rejudged = await options.rejudge({ judge, destinations, signal }, listChanges());
      if (rejudged.changed > 0) {
        await options.onListed?.(rejudged, toListsInUse(state.active), 'names', signal);
      }
    },
  };
}

/** Null while no list is in use. */
function toListsInUse(active: ActiveTables | null): ListsInUse | null {
  return active !== null && isAvailable(active)
    ? { isAllowed: (address, host) => isListed(active.allowed, address, host?.toLowerCase() ?? null) }
    : null;
}

/** Fetches the documents that are due. */
async function refreshDue({ options, state, thread }: SyncRun): Promise<void> {
  const { db, clock, log, mirror, signal } = options;
  const readBy = formatReader(options);
  for (const name of options.offline ? [] : documentNames) {
    const before = clampToNow(clock.now(), state.records[name]);
    state.records = { ...state.records, [name]: before };
    const { authKey, feeds } = options.settings();
    if (isWanted(name, feeds) && clock.now() >= before.nextAt && isUnlocked(name, before, authKey)) {
      const asking = { clock, mirror, authKey, thread, readBy, signal };
      const { record, fresh } = await refreshDocument(name, before, asking);
      await saveRecord(db, name, record, fresh);
      state.records = { ...state.records, [name]: record };
      if (record.failure !== null) {
        log.warn({ part: name, failure: record.failure }, 'a threat feed could not be fetched');
      }
    }
  }
}

async function loadDocuments(wanted: readonly DocumentName[], { options, state, thread }: SyncRun) {
  const { db, clock, log } = options;
  const readBy = formatReader(options);
  const documents: BuildTask['documents'][number][] = [];
  for (const part of wanted) {
    const { rows, record } = await loadStoredRows(part, state.records[part], { db, clock, log, thread, readBy });
    state.records = { ...state.records, [part]: record };
    if (rows) {
      documents.push({ part, rows });
    }
  }
  return documents;
}

/** The versions of program and parsers, stored with parsed rows: rows of another pair are parsed again. */
function formatReader({ version }: FeedSyncOptions): string {
  return `${version}/${parserVersion}`;
}

/** The documents of the tables in use, as their publishers confirmed them. */
function findListsInUse({ active, records }: SyncState): ListStates {
  return new Map(
    (active?.parts ?? []).flatMap((part) => {
      const { sha256, fetchedAt, checkedAt } = records[part];
      return fetchedAt === null ? [] : [[part, { sha256, fetchedAt, checkedAt: checkedAt ?? fetchedAt }] as const];
    }),
  );
}

/** Whether any indicator is listed. */
export function isAvailable(active: ActiveTables | null): boolean {
  return (active?.listed.feeds.length ?? 0) > 0;
}

/** Version of the active tables; `null` before the first. */
export function formatTablesVersion(active: ActiveTables | null): string | null {
  return active && `${active.listed.version}-${active.allowed.version}`;
}

/** Destinations of the log whose address or name is in `tables`. */
async function findListedDestinations(db: Db, tables: Tables): Promise<string[]> {
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
