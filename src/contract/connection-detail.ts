// One connection with all that is known of it, and where each fact comes from.
import { z } from 'zod';
import { canonicalIp } from '#kernel/net/address.ts';
import { known } from './connection-reports.ts';
import { connection, observedKinds, threat } from './model.ts';
import { connectionPath } from './path.ts';
import { listChange } from './retro-match.ts';
import { feedState } from './threat.ts';
import { uncertainty } from './uncertainty.ts';

export interface ConnectionKey {
  src: string;
  dst: string;
  dport: number;
  proto: string;
}

const wanted = 'must be source, destination, port and protocol, as 192.168.1.2,203.0.113.80,443,TCP';

/** The key of a connection as text, in any spelling of the addresses: it stays the same in each backup. */
const id = z
  .string()
  .max(200, wanted)
  .transform((text, context): ConnectionKey => {
    const [source, destination, port, protocol, ...more] = text.split(',');
    const src = canonicalIp(source ?? '');
    const dst = canonicalIp(destination ?? '');
    const dport = /^\d{1,5}$/.test(port ?? '') ? Number(port) : 65_536;
    if (src === null || dst === null || dport > 65_535 || !protocol || more.length > 0) {
      context.addIssue({ code: 'custom', message: wanted, params: { code: 'invalid_format' } });
      return z.NEVER;
    }
    return { src, dst, dport, proto: protocol.toUpperCase() };
  });

export const connectionKey = z.object({ id: id.describe('source,destination,port,protocol of the connection') });

const origin = z.object({
  field: z.enum(['dstHost', 'country', 'org', 'place', 'srcMac', 'srcVendor', 'srcDnsName', 'srcMdnsName']),
  /**
   * `dns`: a client resolved the name; `ptr`: the owner of the address published it; `rdap`: the registry; `geo`: an
   * online service; `operator_file`: a database of the operator; `embedded`: data of this program; `router`: a table of a
   * router; `device`: the device that had the address; `earlier`: a source that is not there any more.
   */
  from: z.enum(['dns', 'ptr', 'rdap', 'geo', 'operator_file', 'embedded', 'router', 'device', 'earlier']),
  name: z.string().nullable().describe('Name of the file, of the router, or of the device; null where there is none'),
  version: z.string().nullable().describe('Version of the data; null where it has none'),
  at: z.int().nullable().describe('When it was learned, epoch milliseconds; null where that is not known'),
});
export type FactOrigin = z.output<typeof origin>;

const evidence = z.object({
  ...threat.shape,
  feedName: z.string(),
  reason: z
    .enum(['matches', 'looked_up', 'other_port', 'platform', 'published', 'range', 'uncertain'])
    .describe(
      'Why the level is what it is. High: the connection matches, or a client looked the name up. Low: another port, a platform of many customers, a name from reverse DNS alone, a range that the settings lower, an uncertain or old entry',
    ),
  why: z.string().describe('The same in a sentence'),
  list: z.object({
    state: feedState,
    fetchedAt: z.int().nullable(),
    checkedAt: z.int().nullable(),
    ageMs: z.int().nullable().describe('Milliseconds since its publisher last confirmed it; null when it never did'),
  }),
  /** That it ran before the hub knew it as listed; null when it did not, or nobody knows. */
  retro: z
    .object({
      ...listChange.shape,
      seenBeforeMs: z
        .int()
        .describe('From its first sighting to the fetch of the list; 0 when the list was fetched before'),
      message: z.string().describe('In a sentence, such as "seen 6 days before it was listed"'),
    })
    .nullable(),
});
export type ThreatEvidence = z.output<typeof evidence>;

export const connectionDetail = z.object({
  id: z.string(),
  connection,
  uncertainty: uncertainty.nullable().describe('Null for what was recorded before it was written down'),
  hours: z
    .array(z.object({ hour: z.int(), observations: z.int(), firstSeen: z.int(), lastSeen: z.int() }))
    .describe('Hours in which it was seen, the oldest first, of at most 90 days before the last sighting'),
  hoursSince: z.int().nullable().describe('Hours before this instant are not listed; null when all are'),
  /** Routers, and the Agents whose machine had the source address when it was seen. */
  observers: z.array(
    z.object({
      id: z.string(),
      kind: z.enum([...observedKinds.options]),
      name: z.string().nullable(),
    }),
  ),
  path: connectionPath,
  origins: z.array(origin),
  threatEvidence: evidence.nullable(),
  /** Who had the source address at the last sighting; null when nobody is known. */
  device: z
    .object({
      deviceId: z.string(),
      name: z.string().nullable(),
      mac: z.string().nullable(),
      vendor: z.string().nullable(),
      since: z.int().describe('When this device had the address; until is null while it has'),
      until: z.int().nullable(),
    })
    .nullable(),
  /** Whether routers and the Agent of the machine agree. */
  reconciliation: z.object({
    verdict: z.enum(['both', 'router_only', 'agent_only', 'no_agent']),
    agentId: z.string().nullable(),
    explanation: z.string(),
  }),
  ...known,
  serverTime: z.int(),
});
export type ConnectionDetail = z.output<typeof connectionDetail>;
