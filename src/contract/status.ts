// What the hub says of itself: its status and its description
// (docs/reference/wire-contract/4-endpoints.md#48-general-configuration-and-data-sources).
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can, signedIn } from './access.ts';
import { warningFacts } from './facts.ts';

const counter = z.object({
  ok: z.int(),
  fail: z.int(),
  lastOkAt: z.int().nullable(),
  lastFailAt: z.int().nullable(),
  lastError: z.string().nullable(),
});

/** Names of features whose availability `/api/status` reports. */
export const featureNames = [
  'rdap',
  'geoip',
  'threat-intel',
  'oui-update',
  'manual-threat-lookup',
  'oidc',
  'ai-cloud_a',
  'ai-cloud_b',
  'ai-cloud_c',
  'dns-ptr',
  'ai-local',
] as const;

export type FeatureName = (typeof featureNames)[number];

const feature = z.object({ enabled: z.boolean(), reason: z.string().nullable() });

export const statusRoutes = {
  status: get('/api/status', can('network.read'), {
    summary: 'Version, collection health and which features are on',
    reply: {
      200: z.object({
        authenticated: z.boolean(),
        routerIp: z.string(),
        enrichment: z.object({ rdap: counter, geo: counter, ptr: counter }),
        /** What countries, organisations and vendors are read from; version null while it cannot be read. */
        enrichmentData: z.object({
          version: z.string().nullable(),
          error: z.string().nullable(),
          operatorFiles: z
            .array(z.string())
            .describe('Databases of the operator, which take precedence over the embedded data'),
          attributions: z
            .array(z.object({ text: z.string(), licence: z.string(), url: z.string() }))
            .describe('Sentences that a page which shows this data must show with a link'),
          describing: z.boolean().describe('Known destinations are being described again, by other data'),
        }),
        offlineMode: z.boolean(),
        features: z.record(z.enum(featureNames), feature),
        version: z.string(),
        commit: z.string().nullable().describe('The commit this program was built from; null when it does not know'),
        uptimeMs: z.int(),
        schemaVersion: z.int(),
        /** The disk of the database, null when it cannot be read; below `warnBelowBytes` there is a warning. */
        storage: z.object({
          freeBytes: z.int().nullable(),
          totalBytes: z.int().nullable(),
          warnBelowBytes: z.int().nullable(),
        }),
        retention: z
          .object({
            usedBytes: z
              .int()
              .describe('Bytes that the data occupies in the database; pages of removed rows do not count'),
            limitBytes: z.int().nullable().describe('retentionBytes of the settings; null without a limit'),
            bytesPerDay: z
              .int()
              .nullable()
              .describe(
                'What a day of the log occupies, from the newest whole days, at most seven; null while there is none',
              ),
            fullAt: z
              .int()
              .nullable()
              .describe(
                'When the limit is reached at this rate; null when it is not, or when retentionDays removes rows before',
              ),
            since: z.int().nullable().describe('The first stored hour; null while the log is empty'),
          })
          .describe('How much the log occupies, and when its limit will be reached'),
        sink: z
          .object({
            server: z.string(),
            hub: z.string(),
            hoursNotSent: z.int(),
            rowsNotSent: z.int(),
            oldestNotSentAt: z.int().nullable(),
            lastSentAt: z.int().nullable(),
            lastError: z.string().nullable(),
            nextTryAt: z.int().nullable(),
            lostHours: z.int(),
            refusedHours: z.int(),
            storedRows: z.int().nullable(),
            storedBytes: z.int().nullable(),
          })
          .nullable()
          .describe('Closed hours on their way to ClickHouse; null when no sink is configured'),
        warnings: z.array(z.string()),
        warningFacts,
        initialAdminTokenFile: z
          .string()
          .nullable()
          .describe(
            'The file that still holds the admin token in clear text after its first use; null for callers without auth.admin',
          ),
        isPasswordInitial: z
          .boolean()
          .nullable()
          .describe('The login password is still that of the first start; null for callers without auth.admin'),
        collection: z.object({
          routers: z.int(),
          ready: z.int(),
          failed: z.int(),
          lastSuccessAt: z.int().nullable(),
        }),
      }),
    },
  }),
  metrics: get('/metrics', can('network.read'), {
    summary:
      'What monitoring asks for: routers, polls, rows, coverage, feeds, alerts, outboxes, disk, database and backups',
    details:
      'OpenMetrics 1.0 for a client that accepts application/openmetrics-text, else the text format 0.0.4 of Prometheus. ' +
      'docs/metrics.md lists the series.',
    reply: { 200: z.string() },
    media: ['application/openmetrics-text', 'text/plain'],
  }),
  openapi: get('/api/openapi.json', signedIn, {
    summary: 'This API as an OpenAPI 3.1 document',
    reply: { 200: z.record(z.string(), z.unknown()) },
  }),
} as const satisfies RouteTable<Access>;
