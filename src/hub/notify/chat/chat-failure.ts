// Why a request to the chat workspace failed: errors of the client by their kind, with one sentence each.
import type { Fact } from '#contract/facts.ts';
import { createFact } from '../../base/refusals.ts';
import { createStatement, type Statement } from '../../base/statements.ts';
import { SendFailure, type SendFailureKind } from '../send-failure.ts';

export class ChatFailure extends SendFailure {
  /** Says the same as the message. The code is the workspace's own, or ours: `rate_limited`, `unreachable`, `unexpected_answer`. */
  readonly fact: Fact;

  constructor(kind: SendFailureKind, code: string, message: string, fact: Fact, retryAfterMs = 0) {
    super(kind, code, message, retryAfterMs);
    this.name = 'ChatFailure';
    this.fact = fact;
  }
}

const newToken = 'make a new token in the workspace and save it here';

/** Codes that only the operator can help with, and how. */
const advice: Readonly<Record<string, Statement>> = {
  not_authed: createStatement('chat_token_missing', 'save a token first'),
  invalid_auth: createStatement('chat_token_refused', `the workspace does not know this token: ${newToken}`),
  account_inactive: createStatement('chat_token_refused', `the token's account is deactivated: ${newToken}`),
  token_revoked: createStatement('chat_token_refused', `the token was revoked: ${newToken}`),
  token_expired: createStatement('chat_token_refused', `the token has expired: ${newToken}`),
  missing_scope: createStatement(
    'chat_scope_missing',
    'the token lacks a scope: add chat:write, im:write, users:read and users:read.email to the app',
  ),
  user_not_found: createStatement('chat_member_missing', 'the workspace has no such member'),
  users_not_found: createStatement('chat_member_missing', 'the workspace has no such member'),
  user_disabled: createStatement('chat_member_off', 'this member is deactivated: choose another one'),
  cannot_dm_bot: createStatement('chat_member_is_bot', 'this member is a bot: choose a person'),
  channel_not_found: createStatement(
    'chat_channel_missing',
    'the workspace has no such channel or member: look the user up again',
  ),
  not_in_channel: createStatement('chat_not_in_channel', 'the app is not in this channel: invite it'),
  is_archived: createStatement('chat_channel_archived', 'this channel is archived: choose another one'),
  restricted_action: createStatement(
    'chat_not_allowed',
    'the workspace does not let this app post here: ask its administrator',
  ),
  no_permission: createStatement(
    'chat_not_allowed',
    'the workspace does not let this app do that: ask its administrator',
  ),
  team_access_not_granted: createStatement('chat_other_workspace', 'the token does not open this workspace'),
  org_login_required: createStatement('chat_moving', 'the workspace is being moved to another organisation: try later'),
};

const hopelessMessages = new Set([
  'msg_too_long',
  'no_text',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
]);

/** Anything a call of the client can throw. */
export async function toChatFailure(error: unknown): Promise<ChatFailure> {
  // Loaded when there was a call.
  const { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } = await import('@slack/web-api');
  if (error instanceof WebAPIRateLimitedError) {
    const wait = error.retryAfter * 1000;
    const message = `the workspace asks to wait ${error.retryAfter} s`;
    return new ChatFailure('limited', 'rate_limited', message, createFact('chat_busy'), wait);
  }
  if (error instanceof WebAPIHTTPError) {
    const status = error.statusCode;
    const fact = createFact('chat_status', { status });
    return new ChatFailure('unreachable', `http_${status}`, `the workspace answered ${status}`, fact);
  }
  if (error instanceof WebAPIPlatformError) {
    return refusal(String(error.data.error));
  }
  return new ChatFailure(
    'unreachable',
    'unreachable',
    'the workspace could not be reached: check the network and try again',
    createFact('chat_silent'),
  );
}

/** What is no code is the body of an answer that could not be read: it is not repeated. */
function refusal(code: string): ChatFailure {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(code)) {
    return new ChatFailure(
      'unreachable',
      'unexpected_answer',
      'what answered is not the workspace, or answered unreadably',
      createFact('chat_strange'),
    );
  }
  if (code === 'ratelimited' || code === 'rate_limited') {
    return new ChatFailure('limited', 'rate_limited', 'the workspace asks to wait', createFact('chat_busy'), 30_000);
  }
  if (hopelessMessages.has(code)) {
    const fact = createFact('chat_message_refused', { detail: code });
    return new ChatFailure('event', code, `the workspace refused the message: ${code}`, fact);
  }
  const known = advice[code];
  return known === undefined
    ? new ChatFailure('refused', code, `the workspace refused: ${code}`, createFact('chat_code', { detail: code }))
    : new ChatFailure('settings', code, `${code}: ${known.sentence}`, createFact(known.code));
}
