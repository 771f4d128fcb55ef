// The form of a period: a part of the log as JSON lines, which simulators play again.
// The first line is the header, then come hosts and connections, and the last line tells what was written.
import { z } from 'zod';
import { sha256 } from '#kernel/text/digest.ts';

export const periodVersion = 1;

/** The most that a period holds: a file of 64 MB, and a million sightings. */
export const mostPeriod = { bytes: 67_108_864, sightings: 1_000_000, observers: 1000 } as const;

/** The protocols that the simulated routers translate. */
export const periodProtocols = ['TCP', 'UDP', 'ICMP', 'ESP', 'GRE'] as const;

const text = z
  .string()
  .min(1)
  .max(256)
  .refine((value) => !/\p{Cc}/u.test(value), { error: 'must not hold control characters' });
const address = z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' });
const port = z.int().min(0).max(65_535);
const counter = z
  .string()
  .regex(/^\d{1,20}$/, { error: 'must be decimal digits' })
  .nullable();

const observer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['vendor_a', 'vendor_b']), name: text }),
  z.strictObject({
    kind: z.literal('agent'),
    name: text,
    platform: z.enum(['macos', 'windows', 'linux']),
    osVersion: text.max(64),
    agentVersion: text.max(64),
  }),
]);
export type PeriodObserver = z.output<typeof observer>;

export const periodHeader = z.strictObject({
  format: z.literal('gatehouse-period'),
  version: z.literal(periodVersion),
  /** Whole hours; `to` is the end of the last one. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  anonymised: z.boolean(),
  /** The routers and Agents that saw the connections. A connection names them by their place, from 0 on. */
  observers: z.array(observer).max(mostPeriod.observers),
});
export type PeriodHeader = z.output<typeof periodHeader>;

/** What the ARP and DHCP tables of the routers say of a source. */
export const periodHost = z.strictObject({
  host: z.ipv4(),
  mac: z.string().regex(/^[\da-f]{2}(?::[\da-f]{2}){5}$/, { error: 'must be a MAC such as 00:00:5e:00:53:01' }),
  name: text.max(63).nullable(),
});
export type PeriodHost = z.output<typeof periodHost>;

/** Milliseconds after `from` of the first and the last sighting in an hour, and how many sightings the log counted. */
const hour = z.tuple([z.int().min(0), z.int().min(0), z.int().min(0).max(100_000)]);

export const periodConnection = z.strictObject({
  src: address,
  dst: address,
  dport: port,
  proto: z.enum(periodProtocols),
  /** Source port and remaining seconds of the timer at the last sighting; null: not known. */
  sport: port.nullable(),
  ttl: z.int().min(0).max(10_000_000).nullable(),
  by: z.array(z.int().min(0)).min(1).max(mostPeriod.observers),
  seen: z.array(hour).min(1),
  /** What an Agent told of the process. */
  process: text.nullable(),
  pid: z.int().min(0).max(2_147_483_647).nullable(),
  bytesIn: counter,
  bytesOut: counter,
});
export type PeriodConnection = z.output<typeof periodConnection>;

/** `lines` counts all lines before this one, and `sha256` is the digest of their bytes with their line ends. */
export const periodEnd = z.strictObject({ lines: z.int().min(1), sha256: z.string().regex(/^[\da-f]{64}$/) });

export interface Period {
  header: PeriodHeader;
  hosts: readonly PeriodHost[];
  connections: readonly PeriodConnection[];
}

/** The text of a file: one JSON line for the header, each host and each connection, then the line with the digest. */
export function formatPeriod({ header, hosts, connections }: Period): string {
  const lines = [header, ...hosts, ...connections];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return `${text}${JSON.stringify({ lines: lines.length, sha256: sha256(text) })}\n`;
}
