// A message that shows whether the workspace can be reached, sent while somebody waits. Nothing of it is tried again.

import { AppError } from '#kernel/errors.ts';
import { createId } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { createRefusal } from '../../base/refusals.ts';
import { ChatFailure } from './chat-failure.ts';
import type { ChatSettings } from './chat-settings.ts';
import { formatAlert } from './message-text.ts';
import type { Workspace } from './workspace.ts';

export interface TestMessageOptions {
  clock: Clock;
  workspace: Workspace;
  settings: () => ChatSettings;
}

/**
 * Sends `title` to the stored recipient. Rejects with AppError `token_or_userid_missing`, `chat_refused` or
 * `chat_unreachable`.
 */
export type SendTest = (title: string) => Promise<void>;

export function createSendTest({ clock, workspace, settings }: TestMessageOptions): SendTest {
  return async (title) => {
    const { token, userId } = settings();
    if (token === '' || userId === '') {
      throw new AppError('token_or_userid_missing', 'save a token and a user first, then test again');
    }
    const text = formatAlert({ at: clock.now(), title, facts: [] });
    try {
      const channel = await workspace.channelOf(token, userId);
      await workspace.post(token, { channel, text, clientId: createId() });
    } catch (error) {
      throw refusedTest(error);
    }
  };
}

function refusedTest(error: unknown): unknown {
  if (!(error instanceof ChatFailure)) {
    return error;
  }
  const { kind, code: reason, message, fact } = error;
  const code = kind === 'unreachable' ? 'chat_unreachable' : 'chat_refused';
  return createRefusal(code, message, [fact], { details: { reason }, cause: error });
}
