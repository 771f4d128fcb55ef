// The two process-health routes: outside /api, no credential, no rate limit.
import { z } from 'zod';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, open } from './access.ts';

export const healthRoutes = {
  healthz: {
    method: 'GET',
    path: '/healthz',
    access: open,
    summary: 'Whether the event loop can respond',
    reply: { 200: z.object({ status: z.literal('ok') }) },
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    access: open,
    summary: 'Whether configuration and database are up',
    reply: { 200: z.object({ status: z.literal('ready') }), 503: z.object({ status: z.literal('not_ready') }) },
  },
} as const satisfies RouteTable<Access>;
