// Conversations for reader threads: a list, one with its messages, and the turns that a question is asked with.
import type { z } from 'zod';
import type { aiChatRoutes } from '#contract/ai-chat.ts';
import { aiLimits as limits } from '#contract/ai-limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { PastTurn } from '../analysis/prompts.ts';
import {
  type Conversation,
  conversationColumns,
  type MessageRow,
  messageColumns,
  messageTables,
  toMessage,
} from './rows.ts';

type ConversationList = z.output<(typeof aiChatRoutes.conversations.reply)[200]>;
type WholeConversation = z.output<(typeof aiChatRoutes.conversation.reply)[200]>;

export const conversationQueries = {
  /** The latest by their last message; the totals are of all. */
  conversations(reader: Reader, _: object): ConversationList {
    const conversations = reader
      .prepare(
        `WITH latest AS (
           SELECT c.id, (SELECT max(id) FROM ai_message WHERE conversation = c.id) AS last FROM ai_conversation c
           ORDER BY last DESC, c.id DESC LIMIT ${limits.aiConversations}
         )
         SELECT ${conversationColumns}, count(m.id) AS messageCount, coalesce(sum(octet_length(m.body)), 0) AS bodyBytes,
           (SELECT created_at FROM ai_message WHERE id = l.last) AS lastMessageAt,
           (SELECT substr(body, 1, ${limits.aiTitle}) FROM ai_message
            WHERE conversation = c.id AND role = 'user' ORDER BY id LIMIT 1) AS title
         FROM latest l JOIN ai_conversation c ON c.id = l.id LEFT JOIN ai_message m ON m.conversation = c.id
         GROUP BY c.id ORDER BY l.last DESC, c.id DESC`,
      )
      .all() as ConversationList['conversations'];
    const storage = reader
      .prepare(
        `SELECT (SELECT count(*) FROM ai_conversation) AS conversations, count(*) AS messages,
           coalesce(sum(octet_length(body)), 0) AS bodyBytes
         FROM ai_message`,
      )
      .get() as ConversationList['storage'];
    return { conversations, storage };
  },

  /** Its last messages in the order in which they were appended. Throws AppError `not_found`. */
  conversation(reader: Reader, { conversationId }: { conversationId: string }): WholeConversation {
    const conversation = reader
      .prepare(`SELECT ${conversationColumns} FROM ai_conversation c WHERE c.conversation_id = ?`)
      .get(conversationId) as Conversation | undefined;
    if (!conversation) {
      throw new AppError('not_found', 'there is no conversation with this id: it may have been deleted');
    }
    const rows = reader
      .prepare(
        `SELECT ${messageColumns} FROM ${messageTables} WHERE c.conversation_id = ?
         ORDER BY m.id DESC LIMIT ${limits.aiMessages}`,
      )
      .all(conversationId) as MessageRow[];
    return { conversation, messages: rows.reverse().map(toMessage) };
  },

  /** The last questions that were answered with their answers, in order; of them, what a prompt may hold at most. */
  conversationTurns(reader: Reader, { conversationId }: { conversationId: string }): PastTurn[] {
    const pairs = reader
      .prepare(
        `SELECT q.body AS question, a.body AS answer FROM ai_conversation c
         JOIN ai_message a ON a.conversation = c.id AND a.role = 'assistant' AND a.status = 'complete'
         JOIN ai_message q ON q.request_id = a.request_id AND q.role = 'user'
         WHERE c.conversation_id = ? ORDER BY a.id DESC LIMIT ${limits.aiTurns}`,
      )
      .iterate(conversationId) as IterableIterator<PastTurn>;
    const turns: PastTurn[] = [];
    let bytes = 0;
    for (const { question, answer } of pairs) {
      bytes += Buffer.byteLength(question) + Buffer.byteLength(answer);
      if (bytes > limits.aiPromptBytes) {
        break;
      }
      turns.unshift({ question, answer });
    }
    return turns;
  },
};

export type ConversationQueries = typeof conversationQueries;
