// A real database with the store of conversations on it, and the answers that a provider would give; no HTTP.
import path from 'node:path';
import { conversationQueries } from '#hub/analyse/ai/conversations/queries.ts';
import { appendAnswer, appendQuestion, type Question } from '#hub/analyse/ai/conversations/store.ts';
import type { Answer } from '#hub/analyse/ai/generations.ts';
import { appendUsage } from '#hub/analyse/ai/usage/usage-log.ts';
import { Db, migrate, ReadConnection, type Reader } from '#kernel/sqlite/sqlite.ts';
import { migrations } from './hub-rows.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** An instant, epoch milliseconds. */
export const noon = 1_790_000_000_000;
const tables = ['ai_conversation', 'ai_message', 'ai_usage'] as const;

/** A UUID that ends with `n`. */
export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

export function question(n: number, changes: Partial<Question> = {}): Question {
  return {
    ...{ requestId: uuid(n), message: `question ${n}`, named: null, at: noon + n, from: noon - 1000, to: noon },
    ...{ provider: 'local', model: 'qwen3:8b', sourceKind: null, sourceId: null },
    askedWith: { language: 'en', priorAnalysis: null, previewId: null },
    ...changes,
  };
}

export function answer(n: number, changes: Partial<Answer> = {}): Answer {
  return {
    ...{ requestId: uuid(n), provider: 'local', model: 'qwen3:8b', text: `answer ${n}`, truncated: false },
    ...{ generatedAt: noon + n, usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 }, pricing: null },
    ...{ pricingVersion: '2026-11-01', estimatedCostUsd: 0.5 },
    ...changes,
  };
}

/** What the three tables hold, row by row. */
export type Tables = Record<(typeof tables)[number], Record<string, unknown>[]>;

export function tablesOf(db: Pick<Reader, 'prepare'>): Tables {
  const rows = (table: string) => db.prepare(`SELECT * FROM ${table} ORDER BY id`).all() as Record<string, unknown>[];
  return Object.fromEntries(tables.map((table) => [table, rows(table)])) as Tables;
}

/** Stores usage and answer in one transaction, as a generation does. */
export function appendPaid(
  db: Db,
  given: Answer,
  citations: Parameters<typeof appendAnswer>[2] = [],
): Promise<ReturnType<typeof appendAnswer>> {
  return db.save((writer) => {
    const { requestId, generatedAt: at, provider, model, pricingVersion, estimatedCostUsd: cost } = given;
    const usage = given.usage && {
      ...{ input: given.usage.inputTokens, output: given.usage.outputTokens, total: given.usage.totalTokens },
      ...{ cacheRead: 0, cacheWrite: 0 },
    };
    const target = { provider, model };
    const price = given.pricing;
    const errorCode = null;
    appendUsage(writer, { requestId, kind: 'chat', at, target, usage, pricingVersion, price, cost, errorCode });
    return appendAnswer(writer, given, citations);
  });
}

/** A question with its answer; resolves to the id of the conversation, a new one when none is given. */
export async function appendExchange(
  db: Db,
  asked: Question,
  given: Answer,
  conversationId: string | null = null,
): Promise<string> {
  const id = await db.save((writer) => appendQuestion(writer, asked, conversationId));
  await appendPaid(db, given);
  return id ?? '';
}

export type ConversationRows = ReturnType<typeof openConversationRows>;

export function openConversationRows() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'hub.db');
  migrate(file, migrations);
  let db = new Db(file);
  let reader = new ReadConnection(file, 1024);
  const close = async () => {
    reader.close();
    await db.close();
  };
  const rows = {
    get db() {
      return db;
    },
    list: () => conversationQueries.conversations(reader, {}),
    one: (conversationId: string) => conversationQueries.conversation(reader, { conversationId }),
    turns: (conversationId: string) => conversationQueries.conversationTurns(reader, { conversationId }),
    ask: (asked: Question, conversationId: string | null = null) =>
      db.save((writer) => appendQuestion(writer, asked, conversationId)),
    answer: (given: Answer, citations?: Parameters<typeof appendAnswer>[2]) => appendPaid(db, given, citations),
    /** Closes the database and opens it again, as a restart does. */
    async reopen() {
      await close();
      db = new Db(file);
      reader = new ReadConnection(file, 1024);
    },
    async [Symbol.asyncDispose]() {
      await close();
      folder[Symbol.dispose]();
    },
  };
  return rows;
}
