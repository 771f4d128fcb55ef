// The chat workspace that receives alerts: settings, and requests to it
// (docs/reference/wire-contract/4-endpoints.md#chat-workspace).
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { chatLimits } from './chat-limits.ts';
import { messageFacts } from './facts.ts';

const token = z
  .string()
  .max(chatLimits.chatToken, `must be at most ${chatLimits.chatToken} characters`)
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces')
  .meta({ format: 'password', description: 'Bot token of the workspace; empty or absent takes the stored one' });
const name = z.string().trim().max(chatLimits.chatName, `must be at most ${chatLimits.chatName} characters`);

/** What is known of the last messages: `waiting` ones were not taken by the workspace yet. */
const delivery = z.object({
  waiting: z.int(),
  lastSentAt: z.int().nullable(),
  lastFailedAt: z.int().nullable(),
  lastError: z
    .string()
    .nullable()
    .describe("The workspace's own code, or unreachable; null when the last try went well"),
});

export const chatCooldown = z
  .number()
  .gt(0, 'must be more than 0')
  .max(chatLimits.chatCooldownMinutes, `must be at most ${chatLimits.chatCooldownMinutes}`);

/** The token itself is never shown. */
const chatConfig = z.object({
  enabled: z.boolean(),
  userId: z.string(),
  displayName: z.string(),
  cooldownMinutes: z.number().describe('No second alert for the same device and destination for so long'),
  tellResolved: z.boolean().describe('Whether it also says that an alert which it was told of is resolved'),
  tokenSet: z.boolean(),
});
export type ChatConfig = z.output<typeof chatConfig>;

/** Refused by the workspace: `error` is its own code, `message` says what to do. */
const refused = z.object({ ok: z.literal(false), error: z.string(), message: z.string(), messageFacts });

export const chatRoutes = {
  config: get('/api/config/chat', can('settings.write'), {
    summary: 'Chat-workspace settings without the token, and how delivery goes',
    reply: { 200: z.object({ config: chatConfig, delivery }) },
  }),
  saveConfig: post('/api/config/chat', can('settings.write'), {
    summary: 'Change the chat-workspace settings; an absent or empty token keeps the stored one',
    body: z.strictObject({
      enabled: z.boolean().optional(),
      token: token.optional(),
      clearToken: z.literal(true).optional(),
      userId: name.optional(),
      displayName: name.optional(),
      cooldownMinutes: chatCooldown.optional(),
      tellResolved: z.boolean().optional(),
    }),
    reply: { 200: z.object({ success: z.literal(true), config: chatConfig }) },
  }),
  test: post('/api/chat/test', can('settings.write'), {
    summary: 'Send one test message with the stored settings',
    refusals: ['token_or_userid_missing', 'chat_refused', 'chat_unreachable'],
    body: z.object({}),
    failure: { success: false },
    reply: { 200: z.object({ success: z.literal(true) }) },
  }),
  verify: post('/api/chat/verify', can('settings.write'), {
    summary: 'Ask the workspace whose token this is; the stored one when none is given',
    refusals: ['chat_unreachable'],
    body: z.strictObject({ token: token.optional() }),
    reply: {
      200: z.discriminatedUnion('ok', [
        z.object({
          ok: z.literal(true),
          team: z.string(),
          teamId: z.string(),
          user: z.string(),
          userId: z.string(),
          missingScopes: z.array(z.string()).describe('Scopes that messages and look-ups need and the token lacks'),
        }),
        refused,
      ]),
    },
  }),
  lookupUser: post('/api/chat/lookup-user', can('settings.write'), {
    summary: 'Find a member of the workspace by name or e-mail address',
    refusals: ['chat_unreachable'],
    body: z.strictObject({
      username: z
        .string()
        .trim()
        .min(1, 'must not be empty')
        .max(chatLimits.chatName)
        .describe('Name or e-mail address of the member'),
      token: token.optional(),
    }),
    reply: {
      200: z.discriminatedUnion('ok', [
        z.object({
          ok: z.literal(true),
          userId: z.string(),
          name: z.string(),
          realName: z.string(),
          displayName: z.string(),
        }),
        refused,
      ]),
    },
  }),
} as const satisfies RouteTable<Access>;
