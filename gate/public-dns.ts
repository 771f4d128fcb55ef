// Whether the canonical name is in public DNS. Until every resolver that is asked says that it is not, nothing else is
// sent to it: what answers there may be in use.
import { getServers } from 'node:dns';
import { canonicalIp, unbracketed } from '#kernel/address.ts';
import type { Clock } from '#kernel/clock.ts';
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
  /** Only a clear "no such name" of a resolver that knows names counts. */
  | { state: 'unclear'; because: string };

export interface DnsAsk {
  config: GateConfig;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** Of the names that are set aside for documentation (RFC 2606), the one that has addresses. */
const wellKnownName = 'example.com';
/** A name server that has not answered within this does not answer. */
const mostMs = 3000;

/** Asks every resolver for every type, once. Never rejects but by the signal. */
export async function askPublicDns({ config, clock, signal }: DnsAsk): Promise<Publication> {
  const { hostname } = config.MCP_GATE_ENDPOINT.url;
  const servers = serversOf(config);
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

/** Throws a GateError unless the name is absent. For commands that would send more than this question. */
export async function requireUnpublished(ask: DnsAsk): Promise<void> {
  const publication = await askPublicDns(ask);
  if (publication.state !== 'absent') {
    throw new GateError(`${publication.because}: nothing is sent to a name that is published, or may be`);
  }
}

/** Each of those that are set; else each of this machine's. */
function serversOf({ MCP_GATE_DNS_SERVER: given }: GateConfig): NameServerAddress[] {
  return parseNameServers(given ?? getServers().join()) ?? [];
}

/** A name that surely is in public DNS: the one that is set, or the issuer's, or a well-known one. */
function controlName({ MCP_GATE_DNS_CONTROL_NAME: given, MCP_GATE_ISSUER: issuer, ...rest }: GateConfig): string {
  const { hostname } = new URL(issuer);
  const isOwn = hostname === rest.MCP_GATE_ENDPOINT.url.hostname;
  const isName = canonicalIp(unbracketed(hostname)) === null && hostname.includes('.');
  return given ?? (isName && !isOwn ? hostname : wellKnownName);
}
