// A hub with a simulated AI provider that is asked in conversations, and what its tables hold.
import path from 'node:path';
import type { AiChoice } from '#contract/ai-records.ts';
import type { Api } from '#contract/index.ts';
import type { Client } from '#kernel/http/client.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import { type AiLab, startAiLab } from './ai-lab.ts';
import { type Tables, tablesOf } from './conversation-rows.ts';

export type ChatBody = Parameters<Client<Api>['ai']['chat']>[0]['body'];
export type ChatReply = Awaited<ReturnType<Client<Api>['ai']['chat']>>;

export interface ChatLab extends AiLab {
  /** A question about the last hour, confirmed for the cloud. */
  chat(changes?: Partial<ChatBody>): Promise<ChatReply>;
  body(changes?: Partial<ChatBody>): ChatBody;
  /** What is committed, also while the hub is stopped. */
  tables(): Tables;
  /** Questions that the providers were asked, listings left out. */
  questions(): ReturnType<AiLab['ai']['requests']>;
}

export async function startChatLab(provider: AiChoice = 'local'): Promise<ChatLab> {
  const lab = await startAiLab({ provider });
  const body = (changes: Partial<ChatBody> = {}): ChatBody => ({
    ...{ from: lab.clock.now() - hourMs, message: 'What changed?', cloudConsentConfirmed: true },
    ...changes,
  });
  const more: Omit<ChatLab, keyof AiLab> = {
    body,
    chat: (changes) => lab.as.admin.ai.chat({ body: body(changes) }),
    tables() {
      const reader = new ReadConnection(path.join(lab.dataDir, 'monitor.db'), 1024);
      try {
        return tablesOf(reader);
      } finally {
        reader.close();
      }
    },
    questions: () => lab.ai.requests().filter(({ method }) => method === 'POST'),
  };
  return Object.assign(Object.create(lab) as AiLab, more);
}
