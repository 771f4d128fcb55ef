// The connection log: its range, scope and column filters, and the list
// (docs/reference/wire-contract/4-endpoints.md#44-connections).
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { connectionDetail, connectionKey } from './connection-detail.ts';
import {
  connectionMemory,
  connectionSummary,
  newNodes,
  threatConnections,
  threatCounts,
} from './connection-reports.ts';
import { limits } from './limits.ts';
import { connection } from './model.ts';
import { knownWords, matchModes, texts, wordOr, words } from './query-words.ts';
import { uncertainty } from './uncertainty.ts';

export const sortColumns = ['lastSeen', 'src', 'dst', 'dport', 'proto', 'country', 'org'] as const;
export type SortColumn = (typeof sortColumns)[number];

/** Epoch milliseconds as digits; empty is the same as absent. */
const instant = z
  .string()
  .max(20, 'must be at most 20 digits')
  .regex(/^\d*$/, 'must be epoch milliseconds, digits only')
  .transform((text) => (text === '' ? undefined : Number(text)))
  .optional();

const digits = z
  .string()
  .regex(/^\d+$/, 'must be digits')
  .max(16, 'must be at most 16 digits')
  .transform(Number)
  .optional();

const orAny = `or any of up to ${limits.filterValues} when it is repeated`;

/** Texts to look for in a column, and how it must match. */
const column = (name: string, max: number) =>
  texts(max).describe(`Only rows whose ${name} matches this text, ${orAny}`);
const mode = (name: string) =>
  wordOr(matchModes, 'contains' as const).describe(
    `How ${name} must match: ${matchModes.join(', ')}; anything else means contains. ` +
      'isNot and notContains show exactly the rows that exact and contains leave out',
  );

/** Range, source scope and column filters: what every list, summary, count and export takes. */
export const connectionFilters = {
  from: instant.describe('Start of the range, epoch milliseconds; everything from the beginning when left out'),
  to: instant.describe('End of the range, epoch milliseconds; everything up to now when left out'),
  sourceKind: z
    .enum(['router', 'agent'], 'must be router or agent')
    .optional()
    .describe('Only what a source of this kind observed; goes with sourceId'),
  sourceId: z
    .string()
    .min(1, 'must not be empty')
    .max(128, 'must be at most 128 characters')
    .optional()
    .describe('Only what this source observed: the id of a router; goes with sourceKind'),
  fSrc: column('source address or name', 512),
  fSrcMode: mode('fSrc'),
  fDst: column('destination address or host name', 512),
  fDstMode: mode('fDst'),
  fDport: column('destination port', 64),
  fDportMode: mode('fDport'),
  fProto: column('protocol', 64),
  fProtoMode: mode('fProto'),
  fCountry: column('country', 64),
  fCountryMode: mode('fCountry'),
  fOrg: column('organisation', 512),
  fOrgMode: mode('fOrg'),
  fTarget: column('target (organisation, else host name, else address)', 512),
  fTargetMode: mode('fTarget').describe(
    `How fTarget must match, as the other modes; exact and isNot compare letter by letter, as byTarget of the summary does`,
  ),
  fProcess: column('program, as an Agent named it', 512),
  fProcessMode: mode('fProcess'),
  fSrcMac: texts(64).describe(`Only rows whose source has this MAC, ${orAny}`),
  fDevice: texts(64).describe(`Only rows whose srcDeviceId is this id of GET /api/devices, ${orAny}`),
  fUnknown: knownWords(['country', 'place']).describe(
    `Only rows of whose destination this is not known, ${orAny}: country or place, which is latitude and longitude; ` +
      'anything else is the same as absent',
  ),
  fThreat: knownWords(['safe', 'warn', 'danger']).describe(
    `Only rows of this threat level, ${orAny}: safe, warn or danger; anything else is the same as absent`,
  ),
};

/** `sourceKind` without `sourceId`, or the other way round, names the missing one. */
export function wholeScope(query: { sourceKind?: unknown; sourceId?: unknown }, context: z.RefinementCtx): void {
  if ((query.sourceKind === undefined) !== (query.sourceId === undefined)) {
    const missing = query.sourceKind === undefined ? 'sourceKind' : 'sourceId';
    const message = 'is missing: sourceKind and sourceId go together';
    context.addIssue({ code: 'custom', path: [missing], message, params: { code: 'missing' } });
  }
}

/** For a query that needs the start of its period. */
export function requireStart(query: { from?: unknown }, context: z.RefinementCtx): void {
  if (query.from === undefined) {
    const message = 'is required: the start in epoch milliseconds';
    context.addIssue({ code: 'custom', path: ['from'], message, params: { code: 'missing' } });
  }
}

export const connectionListQuery = z
  .strictObject({
    ...connectionFilters,
    limit: digits.describe(
      `Rows of a page, ${limits.connectionsPage} at most, 0 to count only; without it up to ${limits.connectionsUnpaged} rows come at once`,
    ),
    offset: digits.describe('Rows to leave out before the page'),
    after: z
      .string()
      .min(1, 'must not be empty')
      .max(limits.connectionsCursor, 'is no cursor of this list')
      .optional()
      .describe('next of the page before, for reading on where rows may move; needs limit'),
    sort: wordOr(sortColumns, 'lastSeen' as const).describe(
      `Column to sort by: ${sortColumns.join(', ')}; anything else means lastSeen`,
    ),
    sortDir: wordOr(['asc', 'desc'], 'desc' as const).describe('asc or desc; anything else means desc'),
    include: z
      .enum(['uncertainty', 'lastInRange'], 'must be uncertainty or lastInRange')
      .optional()
      .describe(
        'uncertainty: each row with the instants between which its first and last packet lie; ' +
          'lastInRange: each row with its last sighting in the range, which may be earlier than lastSeen',
      ),
  })
  .superRefine(wholeScope);

/** Columns whose values can be listed. `router` lists ids for sourceId. */
export const valueColumns = ['country', 'org', 'proto', 'dport', 'src', 'router', 'process'] as const;
export type ValueColumn = (typeof valueColumns)[number];

export const valuesQuery = z
  .strictObject({
    ...connectionFilters,
    column: z
      .enum(valueColumns, `must be one of ${valueColumns.join(', ')}`)
      .describe('Column whose values are listed; router lists what sourceId takes'),
  })
  .superRefine(wholeScope);

export const range = { from: connectionFilters.from, to: connectionFilters.to };
export const scope = { sourceKind: connectionFilters.sourceKind, sourceId: connectionFilters.sourceId };

export const summaryQuery = z
  .strictObject({
    ...range,
    ...scope,
    src: texts(64).describe(`Only what this source address sent, ${orAny}`),
    target: words(512).describe('Only what was sent to this target: a key of byTarget'),
    country: words(64).describe('Only what was sent to this country: its two-letter code'),
    buckets: digits.describe(
      `Columns of the timeline, ${limits.summaryBuckets} at most; ${limits.summaryBucketsDefault} when left out`,
    ),
  })
  .superRefine(wholeScope);

export const threatConnectionsQuery = z
  .strictObject({
    ...range,
    ...scope,
    confidence: wordOr(['low', 'high', 'all'], 'all' as const).describe(
      'Only threats of this confidence: low or high; anything else means all',
    ),
    limit: digits.describe(
      `Destinations, ${limits.threatConnections} at most; ${limits.threatConnectionsDefault} when left out`,
    ),
  })
  .superRefine(wholeScope);

export const exportQuery = z
  .strictObject({
    ...connectionFilters,
    format: z
      .string('is required: csv or json')
      .transform((text) => text.toLowerCase())
      .pipe(z.enum(['csv', 'json'], 'must be csv or json'))
      .describe('Form of the file: csv or json'),
    anonymise: z
      .enum(['0', '1'], 'must be 0 or 1')
      .default('0')
      .describe('1: addresses, MACs and names of hosts are replaced by a random mapping that is not kept'),
  })
  .superRefine((query, context) => {
    wholeScope(query, context);
    requireStart(query, context);
  });

/** Parsed form of the filters; absent and empty filters are `undefined`. */
export type ConnectionFilter = Pick<z.output<typeof connectionListQuery>, keyof typeof connectionFilters>;
export type ConnectionListQuery = z.output<typeof connectionListQuery>;

export const connectionList = z.object({
  connections: z
    .array(
      connection.extend({ uncertainty: uncertainty.nullable().optional(), lastInRange: z.int().nullable().optional() }),
    )
    .describe(
      'uncertainty and lastInRange only with include. uncertainty is null for what was recorded before it was written down, ' +
        'lastInRange when the log does not tell',
    ),
  total: z.int().describe('Rows that match, however many are shown'),
  limit: z.int().describe('The limit that was applied'),
  offset: z.int(),
  next: z
    .string()
    .nullable()
    .optional()
    .describe('Only with limit: what after takes to go on behind the last row; null when it is the last of all'),
  truncated: z.boolean().optional().describe('Only without limit: whether more rows match than were shown'),
  serverTime: z.int(),
});

export const connectionValues = z.object({
  values: z
    .array(
      z.object({
        value: z.string().describe('As the filter of the column takes it'),
        label: z.string().nullable().describe('Name of a source or router; null where the value says it all'),
        count: z.int().describe('Rows that match and have this value'),
      }),
    )
    .describe(`Most rows first; at most ${limits.connectionsValues}`),
  total: z.int().describe('Values, however many are shown'),
  serverTime: z.int(),
});

export const connectionRoutes = {
  list: get('/api/connections', can('network.read'), {
    summary: 'Connections, newest first; paged with limit and offset, else at most 50,000',
    refusals: ['busy'],
    query: connectionListQuery,
    reply: { 200: connectionList },
  }),
  memory: get('/api/connections/memory', can('network.read'), {
    summary: 'Memory of the process and size of the log',
    reply: { 200: connectionMemory },
  }),
  summary: get('/api/connections/summary', can('network.read'), {
    summary: 'Destinations, devices, targets, places and a timeline of a window',
    refusals: ['busy'],
    query: summaryQuery,
    reply: { 200: connectionSummary },
  }),
  values: get('/api/connections/values', can('network.read'), {
    summary: 'Values of a column among the rows that match, with their counts',
    query: valuesQuery,
    reply: { 200: connectionValues },
  }),
  newNodes: get('/api/connections/new-nodes', can('network.read'), {
    summary: 'Devices and destinations first seen in a window',
    query: z.strictObject(range),
    reply: { 200: newNodes },
  }),
  threatConnections: get('/api/connections/threat-connections', can('network.read'), {
    summary: 'Destinations that are not safe, most sessions first',
    query: threatConnectionsQuery,
    reply: { 200: threatConnections },
  }),
  threatCounts: get('/api/connections/threat-counts', can('network.read'), {
    summary: 'Sessions that are safe, warn or danger',
    query: z.strictObject(connectionFilters).superRefine(wholeScope),
    reply: { 200: threatCounts },
  }),
  export: get('/api/connections/export', can('network.read'), {
    summary: 'Connections as a file, newest first, at most 50,000',
    refusals: ['busy'],
    query: exportQuery,
    reply: { 200: z.string() },
    media: ['text/csv', 'application/json'],
  }),
  detail: get('/api/connections/:id', can('network.read'), {
    summary: 'One connection: its hours, who observed it, where each fact comes from, and why it is not safe',
    refusals: ['not_found'],
    params: connectionKey,
    reply: { 200: connectionDetail },
  }),
} as const satisfies RouteTable<Access>;
