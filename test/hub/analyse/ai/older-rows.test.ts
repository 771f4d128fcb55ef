// Rows that a hub stored before it kept why an answer is none, and what a question was asked with.
import { cpSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { toRepeatedReply } from '#hub/analyse/ai/conversations/repeat.ts';
import { findRequest } from '#hub/analyse/ai/conversations/requests.ts';
import { aiUsageQueries } from '#hub/analyse/ai/usage/queries.ts';
import { migrate, ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { noon, uuid } from '../../../support/conversation-rows.ts';
import { migrations } from '../../../support/hub-rows.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { verifies } from '../../../support/verifies.ts';

/** An answered question as migration 022 has it. */
const rows = `
  INSERT INTO ai_usage (request_id, kind, created_at, provider, model, input_tokens, output_tokens, total_tokens,
    pricing_version, cost_usd) VALUES ('${uuid(1)}', 'chat', ${noon}, 'local', 'm', 5, 2, 7, '2026-11-01', 0);
  INSERT INTO ai_conversation (id, conversation_id, created_at, provider, model, range_from, range_to)
    VALUES (1, '${uuid(9)}', ${noon}, 'local', 'm', 10, 20);
  INSERT INTO ai_message (conversation, message_id, request_id, role, body, created_at, provider, model, range_from,
    range_to, status) VALUES
    (1, '${uuid(7)}', '${uuid(1)}', 'user', 'Why?', ${noon}, 'local', 'm', 10, 20, 'complete'),
    (1, '${uuid(8)}', '${uuid(1)}', 'assistant', 'Because.', ${noon}, 'local', 'm', 10, 20, 'complete');
`;

verifies(
  'rest.ai-usage.unanswered rest.ai-chat.repeat-conflict',
  'older usage counts as answered, and an older question is compared by what is known of it',
  () => {
    using folder = temporaryFolder();
    const [file, steps] = [path.join(folder.path, 'hub.db'), path.join(folder.path, 'steps')];
    cpSync(migrations, steps, { recursive: true });
    for (const name of readdirSync(steps).filter((step) => step > '024')) {
      rmSync(path.join(steps, name));
    }
    migrate(file, steps);
    const older = new Database(file);
    older.exec(rows);
    older.close();
    migrate(file, migrations);
    const reader = new ReadConnection(file, 1024);
    try {
      const month = { from: noon - 1, to: noon + 1 };
      const { current } = aiUsageQueries.monthlyUsage(reader, {
        ...{ months: { current: month, previous: month }, selectedModel: null },
        pricing: { catalogVersion: '', currency: 'USD', effectiveFrom: '', sourceUrls: [], approximate: true },
      });
      expect(current).toMatchObject({ requests: 1, totalTokens: 7, unanswered: { requests: 0 } });
      const known = findRequest(reader, uuid(1));
      const body = { from: 10, message: 'Why?', priorAnalysis: 'Not stored then.', language: 'ja' as const };
      expect(known && toRepeatedReply(known, uuid(1), body)).toMatchObject({ message: { body: 'Because.' } });
      for (const change of [{ from: 11 }, { to: 21 }, { sourceKind: 'router' as const, sourceId: 'r' }]) {
        expect(() => known && toRepeatedReply(known, uuid(1), { ...body, ...change })).toThrow(
          /^this requestId was used/,
        );
      }
    } finally {
      reader.close();
    }
  },
);
