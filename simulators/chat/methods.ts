// The web API methods of the simulated workspace: what each needs, answers, and refuses, with the service's own codes.
import type { ChatSettings, IssuedToken, Member } from './settings.ts';

export interface ChatMessage {
  channel: string;
  /** The member of a direct message; null in channels. */
  user: string | null;
  text: string;
  blocks: readonly unknown[];
  /** Seconds with six decimals: the message's name within its channel. */
  ts: string;
  clientMsgId: string | null;
  /** Epoch milliseconds. */
  at: number;
}

export interface Workspace {
  settings: ChatSettings;
  messages: ChatMessage[];
  /** Direct message channels that were opened: channel → member. */
  directChannels: Map<string, string>;
  now: () => number;
}

type Args = Readonly<Record<string, string>>;
type Answer = { ok: boolean; [member: string]: unknown };

interface Method {
  scope: string | null;
  run(workspace: Workspace, args: Args, by: IssuedToken): Answer;
}

export const refuse = (error: string, more: Record<string, unknown> = {}): Answer => ({ ok: false, error, ...more });

export const methods: Readonly<Record<string, Method>> = {
  'auth.test': {
    scope: null,
    run: ({ settings }) => ({
      ok: true,
      url: `https://${settings.team.toLowerCase()}.chat.example/`,
      team: settings.team,
      user: 'gatehouse',
      team_id: 'T0HOME0001',
      user_id: 'U0BOT00001',
      bot_id: 'B0BOT00001',
      is_enterprise_install: false,
    }),
  },
  'users.list': { scope: 'users:read', run: listMembers },
  'users.lookupByEmail': {
    scope: 'users:read.email',
    run: ({ settings }, { email = '' }) => {
      const found = settings.members.find((one) => one.email !== '' && one.email === email.toLowerCase());
      return found && !found.deleted ? { ok: true, user: toMemberView(found) } : refuse('users_not_found');
    },
  },
  'conversations.open': { scope: 'im:write', run: openConversation },
  'chat.postMessage': { scope: 'chat:write', run: postMessage },
};

function listMembers({ settings }: Workspace, { limit = '', cursor = '' }: Args): Answer {
  const from = cursor === '' ? 0 : Number(Buffer.from(cursor, 'base64').toString().replace('member:', ''));
  if (!Number.isInteger(from)) {
    return refuse('invalid_cursor');
  }
  const count = Math.min(Number(limit) || settings.pageLimit, settings.pageLimit);
  const next = from + count;
  const isLast = next >= settings.members.length;
  return {
    ok: true,
    members: settings.members.slice(from, next).map(toMemberView),
    response_metadata: { next_cursor: isLast ? '' : Buffer.from(`member:${next}`).toString('base64') },
  };
}

function toMemberView({ id, name, realName, displayName, email, isBot, deleted }: Member) {
  return {
    id,
    team_id: 'T0HOME0001',
    name,
    deleted,
    is_bot: isBot,
    real_name: realName,
    profile: { real_name: realName, display_name: displayName, ...(email === '' ? {} : { email }) },
  };
}

function openConversation({ settings, directChannels }: Workspace, { users = '' }: Args): Answer {
  if (users === '') {
    return refuse('users_list_not_supplied');
  }
  const member = settings.members.find(({ id }) => id === users);
  if (!member) {
    return refuse('user_not_found');
  }
  if (member.deleted || member.isBot) {
    return refuse(member.deleted ? 'user_disabled' : 'cannot_dm_bot');
  }
  const isKnown = directChannels.has(`D${member.id.slice(1)}`);
  const id = resolveChannel({ settings, directChannels }, member.id);
  return { ok: true, ...(isKnown ? { no_op: true, already_open: true } : {}), channel: { id } };
}

const most = { text: 40_000, blocks: 50, section: 3000, allBlocks: 13_200 };

function postMessage(workspace: Workspace, args: Args): Answer {
  const { channel = '', text = '', client_msg_id: clientMsgId = null } = args;
  const problem = channelProblem(workspace, channel);
  if (problem !== null) {
    return refuse(problem);
  }
  const blocks = parseBlocks(args.blocks);
  if (!Array.isArray(blocks)) {
    return refuse('invalid_blocks', { response_metadata: { messages: [`[ERROR] ${blocks}`] } });
  }
  if (text === '' && blocks.length === 0) {
    return refuse('no_text');
  }
  if (text.length > most.text) {
    return refuse('msg_too_long');
  }
  if (JSON.stringify(blocks).length > most.allBlocks) {
    return refuse('msg_blocks_too_long');
  }
  const id = resolveChannel(workspace, channel);
  const known = workspace.messages.find((one) => one.channel === id && clientMsgId && one.clientMsgId === clientMsgId);
  const message = known ?? createMessage(workspace, { channel: id, text, blocks, clientMsgId });
  return {
    ok: true,
    channel: id,
    ts: message.ts,
    message: { type: 'message', bot_id: 'B0BOT00001', text, ts: message.ts },
  };
}

/** A member's id stands for the direct message to that member. */
export function resolveChannel(
  { directChannels, settings }: Pick<Workspace, 'directChannels' | 'settings'>,
  id: string,
): string {
  if (!settings.members.some((member) => member.id === id)) {
    return id;
  }
  const channel = `D${id.slice(1)}`;
  directChannels.set(channel, id);
  return channel;
}

function createMessage(
  { messages, directChannels, now }: Workspace,
  given: Pick<ChatMessage, 'channel' | 'text' | 'blocks' | 'clientMsgId'>,
): ChatMessage {
  const at = now();
  const number = String(messages.length + 1).padStart(6, '0');
  const message = {
    ...given,
    user: directChannels.get(given.channel) ?? null,
    at,
    ts: `${Math.floor(at / 1000)}.${number}`,
  };
  messages.push(message);
  return message;
}

function channelProblem({ settings, directChannels }: Workspace, id: string): string | null {
  if (directChannels.has(id) || settings.members.some((one) => one.id === id && !one.deleted && !one.isBot)) {
    return null;
  }
  const channel = settings.channels.find((one) => one.id === id);
  if (!channel) {
    return 'channel_not_found';
  }
  if (channel.isArchived) {
    return 'is_archived';
  }
  return channel.isMember ? null : 'not_in_channel';
}

/** The blocks, or what is wrong with them. */
function parseBlocks(text: string | undefined): unknown[] | string {
  if (text === undefined) {
    return [];
  }
  let blocks: unknown;
  try {
    blocks = JSON.parse(text);
  } catch {
    return 'blocks is no JSON';
  }
  if (!Array.isArray(blocks) || blocks.length > most.blocks) {
    return `must provide an array of at most ${most.blocks} items [json-pointer:/blocks]`;
  }
  const wrong = blocks.findIndex((block: { type?: unknown; text?: { text?: unknown } }) => {
    const length = typeof block.text?.text === 'string' ? block.text.text.length : 0;
    return typeof block.type !== 'string' || (block.type === 'section' && (length === 0 || length > most.section));
  });
  return wrong < 0
    ? blocks
    : `must have a text of 1 to ${most.section} characters [json-pointer:/blocks/${wrong}/text]`;
}
