// What an Agent delivers (docs/reference/wire-contract/4-endpoints.md#ingest) and what it may read
// (docs/reference/wire-contract/4-endpoints.md#capabilities-and-documents).
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import { parseIsoTime } from '#kernel/time/clock.ts';
import { limits } from './limits.ts';

/** Forms of a batch that this hub accepts. */
export const supportedSchemaVersions: readonly number[] = [1];

export const agentPlatforms = ['macos', 'windows', 'linux'] as const;

export const agentCollectors = [
  'network-extension',
  'libproc',
  'socket-table',
  'socket-events',
  'conntrack',
  'ebpf',
  'etw',
] as const;

const text = (max: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must be at most ${max} characters`)
    .refine((value) => !/\p{Cc}/u.test(value), 'must not hold control characters');

/** What a machine says of itself: claims, which nothing verifies. */
export const agentFacts = z.strictObject({
  hostName: text(255),
  platform: z.enum(agentPlatforms),
  osVersion: text(64),
  agentVersion: text(64),
});
export type AgentFacts = z.output<typeof agentFacts>;

/** A time in UTC as text on the wire, epoch milliseconds inside. */
const instant = z
  .string()
  .max(32, 'must be at most 32 characters')
  .transform((value, context) => {
    const at = value.toUpperCase().endsWith('Z') ? parseIsoTime(value) : null;
    if (at === null) {
      context.addIssue({ code: 'custom', message: 'must be a time in UTC such as 2026-01-31T12:30:00Z' });
      return z.NEVER;
    }
    return at;
  });

/** An IP literal in any spelling on the wire, canonical inside. */
const address = z
  .string()
  .max(45, 'must be at most 45 characters')
  .transform((value, context) => {
    const canonical = canonicalIp(value);
    if (canonical === null) {
      context.addIssue({ code: 'custom', message: 'must be an IP address' });
      return z.NEVER;
    }
    return canonical;
  });

const largestCounter = '18446744073709551615';

/** An unsigned 64-bit counter. */
const counter = z
  .string()
  .regex(/^(0|[1-9]\d{0,19})$/, 'must be decimal digits without leading zeros')
  .refine(
    (digits) => digits.length < largestCounter.length || digits <= largestCounter,
    `must be at most ${largestCounter}`,
  )
  .nullable();

const uuid = z.uuid().transform((value) => value.toLowerCase());
const port = (min: number) => z.int().min(min, `must be at least ${min}`).max(65_535, 'must be at most 65535');

/** One connection of one process, or a part of its life: bytes are those of this part. */
export const agentObservation = z
  .strictObject({
    observationId: uuid.describe('The same id again, in this batch or another one, is a duplicate'),
    networkProtocol: z.enum(['tcp', 'udp']),
    localAddress: address,
    localPort: port(0).describe('0: not known'),
    remoteAddress: address,
    remotePort: port(1),
    processID: z
      .int()
      .min(0, 'must be at least 0')
      .max(2_147_483_647, 'must be at most 2147483647')
      .describe('0: not known'),
    processName: text(256),
    bundleID: text(255).nullable(),
    firstObservedAt: instant.describe(
      'The start of the connection, also in its later parts: they are one session of the same ports and start',
    ),
    lastObservedAt: instant,
    bytesIn: counter,
    bytesOut: counter,
    collector: z.enum(agentCollectors),
    confidence: z
      .enum(['exact', 'sampled'])
      .describe('exact: an event of the system gave the start and the process; sampled: seen when somebody looked'),
  })
  .refine(({ firstObservedAt, lastObservedAt }) => lastObservedAt >= firstObservedAt, {
    path: ['lastObservedAt'],
    message: 'must not be before firstObservedAt',
  });
export type AgentObservation = z.output<typeof agentObservation>;

export const agentBatch = z.strictObject({
  schemaVersion: z.int(),
  batchId: uuid.describe('Delivered again under the same id, a batch gets the ACK of the first time'),
  sentAt: instant,
  agent: agentFacts.describe('What the machine says of itself: claims, which nothing verifies'),
  observations: z
    .array(agentObservation)
    .min(1, 'must not be empty')
    .max(limits.agentBatchObservations, `must have at most ${limits.agentBatchObservations} entries`)
    .describe('Connections of processes, or parts of their lives'),
});
export type AgentBatch = z.output<typeof agentBatch>;

/** Throws AppError `unsupported_schema_version` for a batch of another form, whatever else is in it. */
export function requireSupportedSchema(body: unknown): void {
  const requested = typeof body === 'object' && body !== null && 'schemaVersion' in body ? body.schemaVersion : null;
  if (supportedSchemaVersions.some((version) => version === requested)) {
    return;
  }
  throw new AppError('unsupported_schema_version', 'unsupported_schema_version', {
    details: {
      requested: Number.isInteger(requested) ? requested : null,
      supported: supportedSchemaVersions,
      hint: 'ask GET /api/agent/capabilities which versions this hub accepts, and update the Agent or the hub',
    },
  });
}

export const agentAck = z.object({
  batchId: z.string(),
  accepted: z.int(),
  duplicate: z.int().describe('Observations whose id was stored before'),
  rejected: z.literal(0),
  receivedAt: z.int().describe('When the batch was stored first'),
  replayed: z.boolean().describe('This batch had been stored before: the figures are those of then'),
  requestId: z.string(),
});
export type AgentAck = z.output<typeof agentAck>;

export const agentCapabilities = z.object({
  schemaVersions: z.array(z.int()),
  maxObservationsPerBatch: z.int(),
  maxBodyBytes: z.int(),
  requestsPerMinute: z.int(),
  compression: z.array(z.string()).describe('Content codings that are accepted: none'),
});

/** Every place that is known, ordered by address. */
export const geoDocument = z.object({
  schemaVersion: z.literal(1),
  generatedAt: z.string(),
  entries: z.array(z.tuple([z.string(), z.number(), z.number(), z.string().nullable(), z.string().nullable()])),
});
export type GeoDocument = z.input<typeof geoDocument>;

const indicator = z.tuple([
  z.string(),
  z.string().nullable(),
  z.string().nullable(),
  z.enum(['low', 'high']).describe('Confidence'),
]);

/** Every threat indicator: value, feed, tag, confidence. */
export const threatDocument = z.object({
  schemaVersion: z.literal(1),
  generatedAt: z.string(),
  available: z.boolean().describe('False: nothing is known of threats, which does not mean that there are none'),
  fetchedAt: z.string().nullable(),
  ips: z.array(indicator),
  domains: z.array(indicator),
  cidrs: z.array(indicator),
});
export type ThreatDocument = z.input<typeof threatDocument>;
