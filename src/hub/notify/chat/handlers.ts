// Handlers of the chat settings, and of the questions that the settings page asks the chat workspace.
import type { ChatConfig, chatRoutes } from '#contract/chat.ts';
import type { Fact } from '#contract/facts.ts';
import { refuseField } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import { withChanges } from '#kernel/text/changes.ts';
import { createFact } from '../../base/refusals.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { Delivery } from '../delivery.ts';
import type { Outbox } from '../outbox.ts';
import { ChatFailure } from './chat-failure.ts';
import type { ChatSettings } from './chat-settings.ts';
import type { SendTest } from './test-message.ts';
import { neededScopes, type Workspace } from './workspace.ts';

export interface ChatHandlersOptions {
  workspace: Workspace;
  outbox: Pick<Outbox, 'state'>;
  delivery: Pick<Delivery, 'reconsider'>;
  document: SettingsDocument;
  sendTest: SendTest;
}

export function createChatHandlers<P>(options: ChatHandlersOptions): Handlers<typeof chatRoutes, P> {
  const { workspace, sendTest, outbox, delivery, document } = options;
  const settings = () => document.current().chat;
  return {
    config: () => ({ config: toConfig(settings()), delivery: outbox.state() }),
    async saveConfig({ body: { token, clearToken, ...rest } }) {
      if (clearToken && token) {
        throw refuseField(
          'invalid_body',
          'clearToken',
          'does not go with token: leave one of them out',
          'token_and_clear',
        );
      }
      const changes = { ...rest, token: clearToken ? '' : token || undefined };
      const { chat: saved } = document.update((all) => ({ ...all, chat: withChanges(all.chat, changes) }));
      await delivery.reconsider();
      return { success: true, config: toConfig(saved) };
    },
    async test() {
      await sendTest('Gatehouse can reach you here');
      return { success: true };
    },
    verify: ({ body }) =>
      askWorkspace(body.token || settings().token, async (token) => {
        const { scopes, ...owner } = await workspace.whoIs(token);
        return { ok: true, ...owner, missingScopes: neededScopes.filter((scope) => !scopes.includes(scope)) };
      }),
    lookupUser: ({ body }) =>
      askWorkspace(body.token || settings().token, async (token) => {
        const member = await workspace.findMember(token, body.username);
        return member
          ? { ok: true, ...member }
          : toRefusal(
              'user_not_found',
              `the workspace has no active member named ${body.username}`,
              createFact('chat_member_missing'),
            );
      }),
  };
}

function toConfig({ token, ...settings }: ChatSettings): ChatConfig {
  return { ...settings, tokenSet: token !== '' };
}

type Refusal = { ok: false; error: string; message: string; messageFacts: Fact[] };

function toRefusal(error: string, message: string, fact: Fact): Refusal {
  return { ok: false, error, message, messageFacts: [fact] };
}

/** Resolves with a refusal when `token` is empty or `ask` rejects with a ChatFailure; the page shows why. */
async function askWorkspace<T>(token: string, ask: (token: string) => Promise<T | Refusal>): Promise<T | Refusal> {
  if (token === '') {
    return toRefusal('missing_params', 'give a token, or save one first', createFact('chat_token_missing'));
  }
  try {
    return await ask(token);
  } catch (error) {
    if (error instanceof ChatFailure) {
      return toRefusal(error.code, error.message, error.fact);
    }
    throw error;
  }
}
