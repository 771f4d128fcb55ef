// The two process-health routes: outside /api, no credential, no rate limit.
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, open } from './access.ts';

export const notReadyReasons = ['reads_fail', 'disk_full', 'database_damaged'] as const;

export type NotReadyReason = (typeof notReadyReasons)[number];

export const healthRoutes = {
  healthz: get('/healthz', open, {
    summary: 'Whether the event loop can respond',
    reply: { 200: z.object({ status: z.literal('ok') }) },
  }),
  readyz: get('/readyz', open, {
    summary: 'Whether configuration and database are up, and reads are answered',
    reply: {
      200: z.object({ status: z.literal('ready') }),
      /** `reason` is absent while the hub starts and stops. */
      503: z.object({ status: z.literal('not_ready'), reason: z.enum(notReadyReasons).optional() }),
    },
  }),
} as const satisfies RouteTable<Access>;
