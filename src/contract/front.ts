// What somebody finds who opens the address of the hub.
import { z } from 'zod';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, open } from './access.ts';

export const frontRoutes = {
  page: {
    method: 'GET',
    path: '/',
    access: open,
    summary: 'What this is, and where to go',
    reply: { 200: z.string() },
    media: ['text/plain'],
  },
} as const satisfies RouteTable<Access>;

/** Ways to a credential, for who has none. */
export const credentialHelp =
  'X-Admin-Token takes the admin token, which the first start shows on a terminal or leaves in the file ' +
  'initial-admin-token of the data folder, or the token of an API identity; a browser logs in with POST /api/auth/login; ' +
  'gatehouse reset-token makes a new admin token';
