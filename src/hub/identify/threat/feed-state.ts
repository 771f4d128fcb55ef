// The state of each feed, with a message.
import type { Feed, FeedName, FeedState } from '#contract/threat.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { createStatement, type Statement, toMessage } from '../../base/statements.ts';
import { type DocumentName, documentsOfFeed, feedDocuments, feedTitles } from './feed-documents.ts';
import { toFailureFact } from './feed-failure.ts';
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

interface Judgement {
  state: FeedState;
  statements?: readonly Statement[];
}

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
    ...describeJudgement(isOn ? judgeDocuments(names, entries, facts) : switchedOff),
    entries,
    fetchedAt: findEarliest(records.map(({ fetchedAt }) => fetchedAt)),
    checkedAt: findEarliest(records.map(({ checkedAt }) => checkedAt)),
    nextAt: isOn && !facts.offline ? findEarliest(records.map(({ nextAt }) => Math.max(nextAt, facts.now))) : null,
  };
}

/** The list of false positives is no feed, but has a state. */
export function toFalsePositives(
  facts: FeedFacts,
): Pick<Feed, 'state' | 'message' | 'messageFacts' | 'entries' | 'fetchedAt'> {
  const { entries, fetchedAt } = facts.records.false_positives;
  return { ...describeJudgement(judgeDocuments(['false_positives'], entries, facts)), entries, fetchedAt };
}

const switchedOff: Judgement = {
  state: 'disabled',
  statements: [createStatement('feed_off', 'Switched off in the settings.')],
};

function describeJudgement({ state, statements = [] }: Judgement): Pick<Feed, 'state' | 'message' | 'messageFacts'> {
  const { message, messageFacts } = toMessage(...statements);
  return { state, message: message || null, messageFacts };
}

/** The worst state of the documents of a feed. */
function judgeDocuments(names: readonly DocumentName[], entries: number, facts: FeedFacts): Judgement {
  const all = names.map((name) => judgeDocument(name, facts.records[name], facts));
  const hasData = names.some((name) => facts.records[name].fetchedAt !== null);
  const worst = order.map((state) => all.find((one) => one.state === state)).find((one) => one !== undefined);
  if (!worst) {
    return { state: 'pending' };
  }
  if (worst.state === 'failed' && hasData) {
    return { ...worst, state: 'stale' };
  }
  return worst.state === 'ok' && entries === 0
    ? { state: 'empty', statements: [createStatement('feed_empty', 'The list is empty, so it finds nothing.')] }
    : worst;
}

const order: readonly FeedState[] = ['unauthorised', 'failed', 'stale', 'disabled', 'pending', 'empty', 'ok'];

function judgeDocument(name: DocumentName, record: DocumentRecord, { authKey, offline, now }: FeedFacts): Judgement {
  const { fetchedAt, checkedAt, failure, failures } = record;
  const kept =
    fetchedAt === null
      ? createStatement('list_missing', 'There is no list yet.')
      : createStatement('list_in_use', `The list of ${isoTime(fetchedAt)} is in use.`, { at: fetchedAt });
  if (offline) {
    const state = fetchedAt === null ? 'disabled' : 'stale';
    return { state, statements: [createStatement('feed_offline', 'The hub is in offline mode.'), kept] };
  }
  if (!isUnlocked(name, record, authKey)) {
    const advice = 'set one in the settings of the threat feeds.';
    const locked =
      authKey === ''
        ? createStatement('feed_key_missing', `It needs a free API key of abuse.ch: ${advice}`)
        : createStatement('feed_key_refused', `abuse.ch refused the API key: ${advice}`);
    return { state: 'unauthorised', statements: [locked, kept] };
  }
  if (failures > 0) {
    const state = fetchedAt === null ? 'failed' : 'stale';
    const { code, values } = toFailureFact(failure ?? '');
    const failed = createStatement(code, `The publisher ${failure}.`, values);
    return { state, statements: [failed, kept, triedAgain] };
  }
  if (checkedAt === null) {
    return { state: 'pending' };
  }
  return now - checkedAt > staleIntervals * feedDocuments[name].everyMs
    ? { state: 'stale', statements: [describeUnconfirmed(checkedAt)] }
    : { state: 'ok' };
}

const triedAgain = createStatement('feed_tried_again', 'The hub tries again automatically.');

function describeUnconfirmed(at: number): Statement {
  return createStatement('feed_unconfirmed', `It has not been confirmed since ${isoTime(at)}.`, { at });
}

function findEarliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}
