// The turns of a conversation that a question goes on, for those who ask nothing: a preview shows what a message would send.
import { textOf } from '#kernel/http/ready-body.ts';
import type { Db } from '#kernel/sqlite.ts';
import type { ReaderPool } from '../../readers/pool.ts';
import type { HistoryOf } from '../analysis/handlers.ts';
import type { PastTurn } from '../analysis/prompts.ts';
import type { Turn } from '../prompt.ts';
import type { ConversationQueries } from './queries.ts';
import { continuedConversation } from './requests.ts';

interface Options {
  db: Pick<Db, 'prepare'>;
  reads: Pick<ReaderPool<ConversationQueries>, 'ask'>;
}

/** None of a conversation with another provider or model, or about another source: the message begins a new one. */
export function createHistoryOf({ db, reads }: Options): HistoryOf {
  return async (named, subject, signal) => {
    const conversationId = continuedConversation(db, named, subject);
    if (conversationId === null) {
      return [];
    }
    const turns = JSON.parse(textOf(await reads.ask('conversationTurns', { conversationId }, signal))) as Turn[];
    return pairsOf(turns);
  };
}

function pairsOf(turns: readonly Turn[]): PastTurn[] {
  const answers = turns.filter(({ role }) => role === 'assistant');
  const questions = turns.filter(({ role }) => role === 'user');
  return questions.map(({ text }, at) => ({ question: text, answer: answers[at]?.text ?? '' }));
}
