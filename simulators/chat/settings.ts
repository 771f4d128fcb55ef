// Who is in the simulated chat workspace, which tokens open it, and what of it can be changed while it runs.
import { z } from 'zod';

const memberSchema = z
  .object({
    id: z.string().regex(/^[UW][A-Z0-9]{6,20}$/),
    name: z.string().min(1).max(80),
    realName: z.string().max(80),
    displayName: z.string().max(80),
    email: z.string().max(254),
    isBot: z.boolean(),
    deleted: z.boolean(),
  })
  .strict();
export type Member = z.output<typeof memberSchema>;

const tokenSchema = z
  .object({
    token: z.string().min(8).max(512),
    scopes: z.array(z.string()),
    state: z.enum(['active', 'revoked', 'expired', 'inactive']),
  })
  .strict();
export type IssuedToken = z.output<typeof tokenSchema>;

const channelSchema = z
  .object({
    id: z.string().regex(/^[CDG][A-Z0-9]{6,20}$/),
    isMember: z.boolean(),
    isArchived: z.boolean(),
  })
  .strict();

export const settingsSchema = z
  .object({
    team: z.string().min(1).max(80),
    members: z.array(memberSchema).max(5000),
    tokens: z.array(tokenSchema).min(1),
    /** Channels besides the direct messages that are opened. */
    channels: z.array(channelSchema),
    /** A call for more members gets at most so many. */
    pageLimit: z.int().min(1).max(1000),
    /** Milliseconds between two messages of one channel; sooner is answered with 429. 0: as fast as they come. */
    channelPaceMs: z.int().min(0),
  })
  .strict();
export type ChatSettings = z.output<typeof settingsSchema>;

export const botScopes = ['chat:write', 'im:write', 'users:read', 'users:read.email'];

const owner: Member = {
  id: 'U0OWNER001',
  name: 'owner',
  realName: 'Olga Owner',
  displayName: 'olga',
  email: 'owner@home.example',
  isBot: false,
  deleted: false,
};

export function createSettings(token: string): ChatSettings {
  return {
    team: 'Home',
    members: [
      owner,
      {
        ...owner,
        id: 'U0GUEST002',
        name: 'guest',
        realName: 'Gus Guest',
        displayName: '',
        email: 'guest@home.example',
      },
      {
        ...owner,
        id: 'U0GONE0003',
        name: 'gone',
        realName: 'Greta Gone',
        displayName: 'greta',
        email: '',
        deleted: true,
      },
      { ...owner, id: 'U0HELPER04', name: 'helper', realName: 'Helper', displayName: '', email: '', isBot: true },
    ],
    tokens: [{ token, scopes: botScopes, state: 'active' }],
    channels: [{ id: 'C0ALERTS01', isMember: true, isArchived: false }],
    pageLimit: 200,
    channelPaceMs: 0,
  };
}
