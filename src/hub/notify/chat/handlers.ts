// Chat-workspace settings, and what the settings page asks the workspace while somebody waits.
import type { ChatConfig, chatRoutes } from '#contract/chat.ts';
import type { Fact } from '#contract/facts.ts';
import { refuseField } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import { withChanges } from '#kernel/text/changes.ts';
import { createFact } from '../../base/refusals.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import { ChatFailure } from './chat-failure.ts';
import type { ChatSettings } from './chat-settings.ts';
import type { Delivery } from './delivery.ts';
import type { Outbox } from './outbox.ts';
import type { SendTest } from './test-message.ts';
import { neededScopes, type Workspace } from './workspace.ts';

export interface ChatHandlersOptions {
  workspace: Workspace;
  outbox: Pick<Outbox, 'state'>;
  delivery: Pick<Delivery, 'reconsider'>;
  document: SettingsDocument;
  sendTest: SendTest;
}

export function chatHandlers<P>(options: ChatHandlersOptions): Handlers<typeof chatRoutes, P> {
  const { workspace, sendTest, outbox, delivery, document } = options;
  const settings = () => document.current().chat;
  return {
    config: () => ({ config: shown(settings()), delivery: outbox.state() }),
    async saveConfig({ body: { token, clearToken, ...rest } }) {
      if (clearToken && token) {
        throw refuseField(
          'invalid_body',
          'clearToken',
          'does not go with token: leave one of them out',
          'token_and_clear',
        );
      }
      const changes = { ...rest, ...(clearToken ? { token: '' } : token ? { token } : {}) };
      const { chat: saved } = document.update((all) => ({ ...all, chat: withChanges(all.chat, changes) }));
      await delivery.reconsider();
      return { success: true, config: shown(saved) };
    },
    async test() {
      await sendTest('Gatehouse can reach you here');
      return { success: true };
    },
    verify: ({ body }) =>
      answered(tokenOr(body.token, settings()), async (token) => {
        const { scopes, ...whose } = await workspace.whoIs(token);
        return { ok: true, ...whose, missingScopes: neededScopes.filter((scope) => !scopes.includes(scope)) };
      }),
    lookupUser: ({ body }) =>
      answered(tokenOr(body.token, settings()), async (token) => {
        const member = await workspace.findMember(token, body.username);
        return member
          ? { ok: true, ...member }
          : refused(
              'user_not_found',
              `the workspace has no active member named ${body.username}`,
              createFact('chat_member_missing'),
            );
      }),
  };
}

function shown({ token, ...settings }: ChatSettings): ChatConfig {
  return { ...settings, tokenSet: token !== '' };
}

function tokenOr(given: string | undefined, { token }: ChatSettings): string {
  return given || token;
}

type Refused = { ok: false; error: string; message: string; messageFacts: Fact[] };

function refused(error: string, message: string, fact: Fact): Refused {
  return { ok: false, error, message, messageFacts: [fact] };
}

/** Every failure of the workspace is an answer here, not an error: the caller asked what it says. */
async function answered<T>(token: string, ask: (token: string) => Promise<T | Refused>): Promise<T | Refused> {
  if (token === '') {
    return refused('missing_params', 'give a token, or save one first', createFact('chat_token_missing'));
  }
  try {
    return await ask(token);
  } catch (error) {
    if (error instanceof ChatFailure) {
      return refused(error.code, error.message, error.fact);
    }
    throw error;
  }
}
