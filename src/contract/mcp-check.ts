// Whether the MCP server answers at an address. Rules:
// docs/reference/wire-contract/4-endpoints.md#48-general-configuration-and-data-sources.
import { z } from 'zod';
import { post } from '#kernel/http/declare-route.ts';
import { can } from './access.ts';

/** What the hub found at the address; only `reachable` is good. */
export const mcpStates = [
  'reachable',
  'unknown_name',
  'refused',
  'no_answer',
  'tls',
  'name_refused',
  'not_serving',
  'other_service',
  'offline',
] as const;

export const mcpCheck = post('/api/config/mcp/check', can('auth.admin'), {
  summary: 'Ask the MCP server at an address whether it answers, without a credential',
  body: z.object({
    url: z
      .string()
      .trim()
      .max(500)
      .describe('http or https address that ends with /mcp. Never an address of the link or of a metadata service'),
  }),
  reply: {
    200: z.object({
      state: z.enum(mcpStates).describe('What the hub found there; it does not follow redirects'),
      authentication: z
        .enum(['token', 'oauth'])
        .nullable()
        .describe('What the MCP server asks clients for; null when it did not say so'),
    }),
  },
});
