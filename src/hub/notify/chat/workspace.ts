// The chat workspace's web API, as much of it as the hub needs, through its official client. Nothing here retries.
import type { Logger, WebClient } from '@slack/web-api';
import { chatLimits } from '#contract/chat-limits.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { createFact } from '../../base/refusals.ts';
import { ChatFailure, toChatFailure } from './chat-failure.ts';
import { createChatFetch } from './chat-fetch.ts';

/** Scopes that messages and look-ups need. */
export const neededScopes = ['chat:write', 'im:write', 'users:read', 'users:read.email'];

export type Member = ReturnType<typeof memberOf>;

/** Every call rejects with a ChatFailure. Tokens are used and not stored. */
export type Workspace = ReturnType<typeof createWorkspace>;

export interface WorkspaceOptions {
  clock: Clock;
  /** Of the web API, ending in `/api/`. */
  apiUrl: URL;
}

/** The client logs into the void: its errors come back as failures, and its other lines name what must not be logged. */
const silent = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => 'error',
} as unknown as Logger;

export function createWorkspace({ clock, apiUrl }: WorkspaceOptions) {
  const clientOf = async (token: string, signal?: AbortSignal) => {
    // Loaded with the first use: a start does not wait for it.
    const slack = await import('@slack/web-api');
    return new slack.WebClient(token, {
      slackApiUrl: apiUrl.href,
      fetch: createChatFetch(clock, signal),
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      allowAbsoluteUrls: false,
      logger: silent,
    });
  };
  return {
    whoIs: (token: string) =>
      asked(async () => {
        const { team, team_id, user, user_id, response_metadata } = await (await clientOf(token)).auth.test();
        const scopes = response_metadata?.scopes?.filter((scope) => scope !== '') ?? [];
        return { team: shown(team), teamId: shown(team_id), user: shown(user), userId: shown(user_id), scopes };
      }),
    /** By e-mail address, else by name, real name or display name without regard to case; null when nobody is found. */
    findMember: (token: string, name: string) =>
      asked(async () => {
        const client = await clientOf(token);
        return /^[^@\s]+@[^@\s]+$/.test(name) ? findByEmail(client, name) : findByName(client, name.replace(/^@/, ''));
      }),
    /** The channel that messages to `target` go to: a member's direct messages, or the channel itself. */
    channelOf: (token: string, target: string, signal?: AbortSignal) =>
      asked(async () => {
        if (!/^[UW]/.test(target)) {
          return target;
        }
        const { channel } = await (await clientOf(token, signal)).conversations.open({ users: target });
        if (!channel?.id) {
          const message = 'the workspace opened no channel';
          throw new ChatFailure('unreachable', 'unexpected_answer', message, createFact('chat_strange'));
        }
        return channel.id;
      }),
    /** Posts once; `clientId` (a UUID) lets the workspace know a repetition. */
    post: (
      token: string,
      { channel, text, clientId }: { channel: string; text: string; clientId: string },
      signal?: AbortSignal,
    ) =>
      asked(async () => {
        const client = await clientOf(token, signal);
        await client.apiCall('chat.postMessage', {
          channel,
          text,
          blocks: [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }],
          client_msg_id: clientId,
          unfurl_links: false,
          unfurl_media: false,
        });
      }),
  };
}

async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof ChatFailure ? error : await toChatFailure(error);
  }
}

interface ShownMember {
  id?: string;
  name?: string;
  real_name?: string;
  deleted?: boolean;
  is_bot?: boolean;
  profile?: { display_name?: string; real_name?: string };
}

async function findByEmail(client: WebClient, email: string): Promise<Member | null> {
  try {
    const { user } = await client.users.lookupByEmail({ email });
    return user?.id === undefined ? null : memberOf(user);
  } catch (error) {
    if ((await toChatFailure(error)).code === 'users_not_found') {
      return null;
    }
    throw error;
  }
}

/** At most five pages of 200. The account name counts before the names that people choose. */
async function findByName(client: WebClient, name: string): Promise<Member | null> {
  const wanted = name.toLowerCase();
  const others: ShownMember[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < chatLimits.chatMemberPages; page += 1) {
    const { members = [], response_metadata } = await client.users.list({
      limit: chatLimits.chatMembersPage,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const people = members.filter((member) => !member.deleted && !member.is_bot);
    const exact = people.find((member) => member.name?.toLowerCase() === wanted);
    if (exact) {
      return memberOf(exact);
    }
    others.push(...people.filter((member) => namesOf(member).includes(wanted)));
    cursor = response_metadata?.next_cursor || undefined;
    if (cursor === undefined) {
      break;
    }
  }
  const [other] = others;
  return other ? memberOf(other) : null;
}

function namesOf({ real_name, profile }: ShownMember): string[] {
  return [real_name, profile?.real_name, profile?.display_name].flatMap((one) => (one ? [one.toLowerCase()] : []));
}

function memberOf({ id = '', name = '', real_name = '', profile }: ShownMember) {
  return {
    userId: shown(id),
    name: shown(name),
    realName: shown(real_name),
    displayName: shown(profile?.display_name),
  };
}

/** Names that people and workspaces give themselves. */
function shown(text = ''): string {
  return visibleText(text, 256);
}
