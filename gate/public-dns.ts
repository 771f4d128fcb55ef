// Checks whether the canonical name is in public DNS. The gate sends nothing else to the name until every resolver
// reports that it does not exist: what answers there may be in production.
import { getServers } from 'node:dns';
import { canonicalIp, unbracketed } from '#kernel/net/address.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { GateConfig } from './config.ts';
import {
  countRecords,
  type NameServerAddress,
  parseNameServers,
  type RecordType,
  recordTypes,
} from './dns-question.ts';
import { GateError } from './private-file.ts';

export type Publication =
  | { state: 'absent' }
  | { state: 'published'; because: string }
  /** NXDOMAIN counts only from a resolver that resolves the control name. */
  | { state: 'unclear'; because: string };

export interface DnsAsk {
  config: GateConfig;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** The documentation name (RFC 2606) that has addresses. */
const wellKnownName = 'example.com';
/** Timeout of one query. */
const mostMs = 3000;

/** Queries every resolver for every type, once. Rejects only when the signal is aborted. */
export async function askPublicDns({ config, clock, signal }: DnsAsk): Promise<Publication> {
  const { hostname } = config.MCP_GATE_ENDPOINT.url;
  const servers = listNameServers(config);
  const timeoutMs = Math.min(config.MCP_GATE_TIMEOUT_MS, mostMs);
  const count = (server: NameServerAddress, name: string, type: RecordType) =>
    countRecords({ server, name, type, clock, timeoutMs, signal });
  const found = await Promise.all(
    servers.map(async (server, index): Promise<Publication> => {
      const who = `resolver ${index + 1} of ${servers.length}`;
      const types = Object.keys(recordTypes) as RecordType[];
      const counts = await Promise.all(types.map((type) => count(server, hostname, type)));
      const there = types.filter((_type, at) => (counts[at] ?? 0) > 0);
      if (there.length > 0) {
        return { state: 'published', because: `public DNS has the name (${there.join(', ')}, says ${who})` };
      }
      if (counts.includes(null)) {
        return { state: 'unclear', because: `${who} gave no answer; only "no such name" counts` };
      }
      const control = controlName(config);
      const known = await Promise.all([count(server, control, 'A'), count(server, control, 'AAAA')]);
      return known.some((one) => (one ?? 0) > 0)
        ? { state: 'absent' }
        : {
            state: 'unclear',
            because: `${who} does not know the control name either, so its "no such name" shows nothing`,
          };
    }),
  );
  return (
    found.find(({ state }) => state === 'published') ??
    found.find(({ state }) => state === 'unclear') ??
    (found.length > 0 ? { state: 'absent' } : { state: 'unclear', because: 'this machine has no resolver' })
  );
}

/** Throws a GateError unless the name is absent. For commands that send more than DNS queries. */
export async function requireUnpublished(ask: DnsAsk): Promise<void> {
  const publication = await askPublicDns(ask);
  if (publication.state !== 'absent') {
    throw new GateError(`${publication.because}: nothing is sent to a name that is published, or may be`);
  }
}

/** The configured resolvers, otherwise those of this machine. */
function listNameServers({ MCP_GATE_DNS_SERVER: given }: GateConfig): NameServerAddress[] {
  return parseNameServers(given ?? getServers().join()) ?? [];
}

/** A name that is in public DNS: the configured one, the issuer's, or a well-known one. */
function controlName({ MCP_GATE_DNS_CONTROL_NAME: given, MCP_GATE_ISSUER: issuer, ...rest }: GateConfig): string {
  const { hostname } = new URL(issuer);
  const isOwn = hostname === rest.MCP_GATE_ENDPOINT.url.hostname;
  const isName = canonicalIp(unbracketed(hostname)) === null && hostname.includes('.');
  return given ?? (isName && !isOwn ? hostname : wellKnownName);
}
