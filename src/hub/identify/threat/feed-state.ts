// The state of each feed, with a message.
import type { Feed, FeedName, FeedState } from '#contract/threat.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { type DocumentName, documentsOfFeed, feedDocuments, feedTitles } from './feed-documents.ts';
import { isUnlocked } from './refresh.ts';
import type { DocumentRecord, DocumentRecords } from './store.ts';

export interface FeedFacts {
  records: DocumentRecords;
  /** Entries in use, by feed. */
  counts: Readonly<Record<FeedName, number>>;
  isEnabled: (feed: FeedName) => boolean;
  authKey: string;
  offline: boolean;
  now: number;
}

type Judgement = Pick<Feed, 'state' | 'message'>;

/** Intervals without confirmation after which data is stale. */
const staleIntervals = 3;

export function toFeed(id: FeedName, facts: FeedFacts): Feed {
  const names = documentsOfFeed(id);
  const records = names.map((name) => facts.records[name]);
  const isOn = facts.isEnabled(id);
  const entries = isOn ? facts.counts[id] : 0;
  return {
    id,
    ...feedTitles[id],
    ...(isOn ? judgeDocuments(names, entries, facts) : { state: 'disabled', message: 'Switched off in the settings.' }),
    entries,
    fetchedAt: findEarliest(records.map(({ fetchedAt }) => fetchedAt)),
    checkedAt: findEarliest(records.map(({ checkedAt }) => checkedAt)),
    nextAt: isOn && !facts.offline ? findEarliest(records.map(({ nextAt }) => Math.max(nextAt, facts.now))) : null,
  };
}

/** The list of false positives is no feed, but has a state. */
export function toFalsePositives(facts: FeedFacts): Pick<Feed, 'state' | 'message' | 'entries' | 'fetchedAt'> {
  const { entries, fetchedAt } = facts.records.false_positives;
  return { ...judgeDocuments(['false_positives'], entries, facts), entries, fetchedAt };
}

/** The worst state of the documents of a feed. */
function judgeDocuments(names: readonly DocumentName[], entries: number, facts: FeedFacts): Judgement {
  const all = names.map((name) => judgeDocument(name, facts.records[name], facts));
  const hasData = names.some((name) => facts.records[name].fetchedAt !== null);
  const worst = order.map((state) => all.find((one) => one.state === state)).find((one) => one !== undefined);
  if (!worst) {
    return { state: 'pending', message: null };
  }
  if (worst.state === 'failed' && hasData) {
    return { ...worst, state: 'stale' };
  }
  return worst.state === 'ok' && entries === 0
    ? { state: 'empty', message: 'The list is empty, so it finds nothing.' }
    : worst;
}

const order: readonly FeedState[] = ['unauthorised', 'failed', 'stale', 'disabled', 'pending', 'empty', 'ok'];

function judgeDocument(name: DocumentName, record: DocumentRecord, { authKey, offline, now }: FeedFacts): Judgement {
  const { fetchedAt, checkedAt, failure, failures } = record;
  const kept = fetchedAt === null ? 'There is no list yet.' : `The list of ${isoTime(fetchedAt)} is in use.`;
  if (offline) {
    const state = fetchedAt === null ? 'disabled' : 'stale';
    return { state, message: `The hub is in offline mode. ${kept}` };
  }
  if (!isUnlocked(name, record, authKey)) {
    const what = authKey === '' ? 'It needs a free API key of abuse.ch' : 'abuse.ch refused the API key';
    return { state: 'unauthorised', message: `${what}: set one in the settings of the threat feeds. ${kept}` };
  }
  if (failures > 0) {
    const state = fetchedAt === null ? 'failed' : 'stale';
    return { state, message: `The publisher ${failure}. ${kept} The hub tries again automatically.` };
  }
  if (checkedAt === null) {
    return { state: 'pending', message: null };
  }
  return now - checkedAt > staleIntervals * feedDocuments[name].everyMs
    ? { state: 'stale', message: `It has not been confirmed since ${isoTime(checkedAt)}.` }
    : { state: 'ok', message: null };
}

function findEarliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}
