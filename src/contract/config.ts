// General settings, data sources and look-ups beyond the hub. Rules:
// docs/reference/wire-contract/4-endpoints.md#48-general-configuration-and-data-sources and
// docs/reference/wire-contract/5-behaviours.md#56-outbound-requests.
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { explain } from '#kernel/text/problem.ts';
import { type Access, can } from './access.ts';
import { isCountry } from './countries.ts';
import { messageFacts } from './facts.ts';
import { limits } from './limits.ts';
import { mcpCheck } from './mcp-check.ts';
import { wholeNumber } from './whole-number.ts';

export const retentionChoices = [7, 30, 90, 180, 365, 730] as const;

const general = z.object({
  homeCountry: z.string().describe('ISO 3166-1 alpha-2'),
  language: z.enum(['ja', 'en']),
  autoInvestigate: z.boolean(),
  retentionDays: z.int().describe('Days that connections are stored'),
  retentionBytes: z
    .int()
    .describe('Bytes that the database may occupy before the oldest days are removed; 0 for no limit'),
});

const retentionDays = z
  .union([z.int().meta({ enum: [...retentionChoices] }), z.string().regex(/^\d{1,5}$/, 'must be digits')])
  .transform(Number)
  .refine(
    (days) => (retentionChoices as readonly number[]).includes(days),
    explain(`must be one of ${retentionChoices.join(', ')}`, 'invalid_value'),
  );

/** Bytes that the database may occupy; 0 for no limit. */
export const retentionSize = z
  .int()
  .refine(
    (bytes) => bytes === 0 || bytes >= limits.retentionBytesMin,
    explain(`must be 0 for no limit, or at least ${limits.retentionBytesMin}`, 'too_small', limits.retentionBytesMin),
  );

/** The three logs that can be followed: what a resolver, a DHCP server and a router's packet inspection write. */
export const dataSourceNames = ['dns', 'inspect', 'dhcp'] as const;
export type DataSourceName = (typeof dataSourceNames)[number];

export const readerState = z.enum(['off', 'waiting', 'following', 'failed']);

const dataSource = z.object({
  enabled: z.boolean(),
  logFile: z.string().describe('Absolute path; empty when none is set'),
  state: readerState,
  message: z.string().describe('What to do when it does not follow the file; empty otherwise'),
  messageFacts,
  lines: z.int().describe('Lines read and understood since the start of the hub, and when the last of them came'),
  understood: z.int(),
  lastLineAt: z.int().nullable(),
});

const dataSources = { dns: dataSource, inspect: dataSource, dhcp: dataSource };

const dataSourceChange = z
  .strictObject({ enabled: z.boolean().optional(), logFile: z.string().max(limits.logPath).optional() })
  .optional();

/** The look-ups that leave the hub when they are switched on. */
export const lookupNames = ['ptr', 'rdap', 'geo'] as const;
export type LookupName = (typeof lookupNames)[number];

const lookup = z.object({
  enabled: z.boolean(),
  discloses: z.string().describe('What leaves the building while it is on, and who gets it'),
});

const lookups = {
  ptr: lookup
    .extend({ resolver: z.string(), effectiveResolver: z.string().nullable() })
    .describe('resolver is address or address:port; effectiveResolver the one in use, null when there is none'),
  rdap: lookup
    .extend({ bootstrapUrl: z.string() })
    .describe('bootstrapUrl is the folder of ipv4.json and ipv6.json (RFC 9224)'),
  geo: lookup.extend({ url: z.string(), tokenSet: z.boolean() }).describe('url holds {ip} where the address goes'),
};

const success = z.literal(true);
const settings = can('settings.write');

export const configRoutes = {
  general: get('/api/config/general', settings, {
    summary: 'General settings',
    reply: { 200: general },
  }),
  saveGeneral: post('/api/config/general', settings, {
    summary: 'Save general settings; what is absent stays',
    body: z.object({
      homeCountry: z
        .string()
        .refine(isCountry, explain('must be a country code of two capital letters (ISO 3166)', 'invalid_format'))
        .optional(),
      language: z.enum(['ja', 'en']).optional(),
      autoInvestigate: z.boolean().optional(),
      retentionDays: retentionDays.optional(),
      retentionBytes: wholeNumber(0).pipe(retentionSize).optional(),
    }),
    reply: { 200: general.extend({ success }) },
  }),
  dataSources: get('/api/config/datasources', settings, {
    summary: 'The logs that are followed, and how their readers are doing',
    reply: { 200: z.object(dataSources) },
  }),
  saveDataSources: post('/api/config/datasources', settings, {
    summary: 'Choose the logs to follow; what is absent stays',
    refusals: ['log_path_rejected'],
    body: z.object({ dns: dataSourceChange, inspect: dataSourceChange, dhcp: dataSourceChange }),
    reply: { 200: z.object({ success, ...dataSources }) },
  }),
  lookups: get('/api/config/enrichment', settings, {
    summary: 'Look-ups beyond the hub: which are on, and what each discloses',
    reply: { 200: z.object(lookups) },
  }),
  saveLookups: post('/api/config/enrichment', settings, {
    summary: 'Switch look-ups on or off; what is absent stays',
    body: z.object({
      ptr: z.strictObject({ enabled: z.boolean().optional(), resolver: z.string().max(64).optional() }).optional(),
      rdap: z
        .strictObject({ enabled: z.boolean().optional(), bootstrapUrl: z.string().max(2048).optional() })
        .optional(),
      geo: z
        .strictObject({
          enabled: z.boolean().optional(),
          url: z.string().max(2048).optional().describe('Address of the service, with {ip} where the address goes'),
          token: z.string().max(4096).optional().meta({
            format: 'password',
            description: 'Sent as a bearer token; empty keeps the stored one. A change of host needs it again',
          }),
          clearToken: z.literal(true).optional(),
        })
        .optional(),
    }),
    reply: { 200: z.object({ success, ...lookups }) },
  }),
  checkMcp: mcpCheck,
} as const satisfies RouteTable<Access>;
