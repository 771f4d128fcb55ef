// Mistakes with names, addresses, ports and time.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { startWitness } from '#gate/collect/witness.ts';
import { readGateConfig } from '#gate/config.ts';
import { writeText } from '#kernel/files/files.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { type NameServer, startNameServer } from '#simulators/dns/name-server.ts';
import { type Edge, startEdge } from '#simulators/edge/edge.ts';
import { type Stage, stagedName } from '../../../scripts/stage.ts';
import type { Making, Mistake } from './mistake.ts';

type Records = NonNullable<Parameters<NameServer['setZone']>[0][string]>;

const published = (records: Records, because: RegExp): Making => ({
  make: ({ dns }) => dns.setZone({ ...dns.zone, [stagedName]: records }),
  because,
});

/** A resolver after the one of the stage, with what it knows. */
const secondResolver = (zone: (stage: Stage) => NameServer['zone'], because: RegExp): Making => ({
  make: async (stage, after) => {
    const other = after.use(await startNameServer({ zone: zone(stage) }));
    stage.set({ MCP_GATE_DNS_SERVER: `${stage.dns.server},${other.server}` });
  },
  because,
});

/** A proxy at a second address, on the port of the first, set up as that one is, and then changed. */
const secondAddress = (change: (edge: Edge, stage: Stage) => unknown, because: RegExp): Making => ({
  make: async (stage, after) => {
    const { upstreams } = stage.edge;
    const certificate = await stage.authority.issue([stagedName]);
    const port = Number(stage.edge.url.port);
    const other = after.use(await startEdge({ host: '127.0.0.2', port, certificate, upstreams }));
    stage.set({ MCP_GATE_CONNECT_ADDRESS: '127.0.0.1,127.0.0.2' });
    await change(other, stage);
  },
  because,
});

/** Of the witness of these tests. */
const witnessPort = 8099;

/** The host is at 127.0.0.2, with its witness; `open` is a port that something listens at there. */
const ingress = (
  open: ((stage: Stage) => number) | null,
  because: RegExp,
  options: Readonly<Record<string, string>> = {},
): Making => ({
  make: async (stage, after) => {
    after.use(await startWitness({ config: readGateConfig(stage.gateEnv), host: '127.0.0.2', port: witnessPort }));
    if (open) {
      const server = createServer();
      await listen(server, '127.0.0.2', open(stage));
      after.defer(() => close(server));
    }
  },
  options: () => ({ address: '127.0.0.2', witness: String(witnessPort), ...options }),
  because,
});

/** The name is published; nothing may go to the proxy. */
const live = (options?: Making['options']): Making => ({
  make: ({ dns, edge }) => {
    dns.setZone({ ...dns.zone, [stagedName]: { A: ['192.0.2.10'] } });
    edge.clearJournal();
  },
  ...(options ? { options } : {}),
  because: /nothing is sent to a name that is published/,
});

export const networkMistakes: readonly Mistake[] = [
  {
    id: 'network.published-already',
    sentence: 'the name is in public DNS already',
    red: ['dns.absent'],
    ...published({ A: ['192.0.2.10'] }, /public DNS has the name \(A,/),
  },
  {
    id: 'network.published-ipv6',
    sentence: 'the name is in public DNS with an IPv6 address only',
    red: ['dns.absent'],
    ...published({ AAAA: ['2001:db8::10'] }, /public DNS has the name \(AAAA,/),
  },
  {
    id: 'network.published-alias',
    sentence: 'the name is in public DNS as an alias whose target is not there yet',
    red: ['dns.absent'],
    ...published({ CNAME: ['lb.gatehouse.test'] }, /public DNS has the name \(A, CNAME/),
  },
  {
    id: 'network.published-service-binding',
    sentence: 'the name is in public DNS with an HTTPS record only',
    red: ['dns.absent'],
    ...published({ HTTPS: [stagedName] }, /public DNS has the name \(HTTPS,/),
  },
  {
    id: 'network.resolver-knows-nothing',
    sentence: 'the resolver says "no such name" to everything',
    red: ['dns.absent'],
    make: ({ dns }) => dns.setZone({}),
    because: /does not know the control name/,
  },
  {
    id: 'network.split-horizon',
    sentence:
      'the first resolver has the company’s own view, in which the name is not there; the second has the public one',
    red: ['dns.absent'],
    ...secondResolver(({ dns }) => ({ ...dns.zone, [stagedName]: { A: ['192.0.2.10'] } }), /says resolver 2 of 2/),
  },
  {
    id: 'network.second-resolver-knows-nothing',
    sentence: 'one of two resolvers says "no such name" to everything',
    red: ['dns.absent'],
    ...secondResolver(() => ({}), /resolver 2 of 2 does not know the control name/),
  },
  {
    id: 'network.resolver-fails',
    sentence: 'the resolver answers SERVFAIL',
    red: ['dns.absent'],
    make: ({ dns }) => dns.fail('server-failure'),
    because: /gave no answer/,
  },
  {
    id: 'network.resolver-refuses',
    sentence: 'the resolver does not answer strangers (REFUSED)',
    red: ['dns.absent'],
    make: ({ dns }) => dns.fail('refused'),
    because: /gave no answer/,
  },
  {
    id: 'network.resolver-not-there',
    sentence: 'nothing listens at the address of the resolver',
    red: ['dns.absent'],
    make: (stage) => stage.set({ MCP_GATE_DNS_SERVER: '127.0.0.2:9' }),
    because: /gave no answer/,
  },
  {
    id: 'network.no-such-target',
    sentence: 'the name of the staged target does not resolve',
    red: ['target.resolves'],
    make: (stage) => stage.set({ MCP_GATE_CONNECT_ADDRESS: 'no-such-host.invalid' }),
    because: /ENOTFOUND|EAI_AGAIN/,
  },
  {
    id: 'network.second-address-dead',
    sentence: 'the target has two addresses, and nothing listens at the second',
    red: ['target.certificate'],
    make: (stage) => stage.set({ MCP_GATE_CONNECT_ADDRESS: '127.0.0.1,127.0.0.2' }),
    because: /address 2 of 2: no handshake comes about \(ECONNREFUSED\)/,
  },
  {
    id: 'network.second-address-other-certificate',
    sentence: 'the proxy at the second address has another certificate',
    red: ['target.certificate'],
    ...secondAddress(
      async (edge, { authority }) => edge.setCertificate(await authority.issue(['other.gatehouse.test'])),
      /address 2 of 2: it is for another name/,
    ),
  },
  {
    id: 'network.second-address-other-service',
    sentence: 'the second address serves something else',
    red: ['target.answers', 'metadata.root', 'metadata.path'],
    ...secondAddress((edge) => edge.setUpstreams({}), /address 2 of 2: it answers 404/),
  },
  {
    id: 'network.second-address-not-enforcing',
    sentence: 'the endpoint at the second address accepts tokens that the first refuses',
    red: ['target.alike'],
    ...secondAddress(
      (edge, { settings }) => edge.fail('accept-any-token', { value: settings.MCP_GATE_READ_TOKEN ?? '' }),
      /address 2 of 2: it answers 200 to a token for another audience/,
    ),
  },
  {
    id: 'network.second-address-other-release',
    sentence: 'the endpoint at the second address is another release, with other tools',
    red: ['target.alike'],
    ...secondAddress(
      (edge) => edge.fail('rewrite-body', { value: 'get_new_nodes => get_old_nodes' }),
      /address 2 of 2: it lists other tools/,
    ),
  },
  {
    id: 'network.slow-everywhere',
    sentence: 'every answer takes so long that the whole run would take hours',
    red: [
      'target.answers',
      'metadata.root',
      'metadata.path',
      'proxy.paths',
      'proxy.plain-http',
      'hub.health',
      'hub.ready',
      'audit.integrity',
    ],
    make: (stage) => {
      stage.set({ MCP_GATE_RUN_TIMEOUT_MS: '8000', MCP_GATE_TIMEOUT_MS: '120000' });
      stage.edge.fail('slow', { value: 60_000 });
    },
    because: /the run took longer than MCP_GATE_RUN_TIMEOUT_MS/,
  },
  {
    id: 'network.other-ports-tried',
    sentence: 'the evidence is about ports that are not those of the hub and the MCP server',
    red: ['evidence.directIngress'],
    make: ({ evidence }) => {
      const document = JSON.parse(readFileSync(evidence, 'utf8')) as Record<string, object>;
      const directIngress = { ...document.directIngress, address: '192.0.2.10', ports: [1] };
      writeText(evidence, JSON.stringify({ ...document, directIngress }));
    },
    because: /ports lacks 443, /,
  },
  {
    id: 'network.hub-open',
    sentence: 'the hub takes connections on the public address',
    red: [],
    collector: 'direct-ingress',
    ...ingress((stage) => portOf(stage.hub.url), /port \d+ of 127\.0\.0\.2 is open/),
  },
  {
    id: 'network.mcp-open',
    sentence: 'the MCP server takes connections on the public address',
    red: [],
    collector: 'direct-ingress',
    ...ingress(mcpPort, /port \d+ of 127\.0\.0\.2 is open/),
  },
  {
    id: 'network.harmless-port-tried',
    sentence: 'port 1 is tried, which nobody uses, while the hub is open',
    red: [],
    collector: 'direct-ingress',
    ...ingress((stage) => portOf(stage.hub.url), /port \d+ of 127\.0\.0\.2 is open/, { ports: '1' }),
  },
  {
    id: 'network.wrong-address',
    sentence: 'the ports of an address are tried that is not the host',
    red: [],
    collector: 'direct-ingress',
    ...ingress(null, /the witness does not answer at 127\.0\.0\.3/, { address: '127.0.0.3' }),
  },
  {
    id: 'network.stranger-at-the-address',
    sentence: 'another machine answers where the host should',
    red: [],
    collector: 'direct-ingress',
    make: async (_stage, after) => {
      const server = http.createServer((_request, response) => response.end('{"proof":"none"}'));
      await listen(server, '127.0.0.3', witnessPort);
      after.defer(() => close(server));
    },
    options: () => ({ address: '127.0.0.3', witness: String(witnessPort) }),
    because: /the witness does not answer at 127\.0\.0\.3/,
  },
  {
    id: 'network.live-at-limits',
    sentence: 'the name is published when the limits are to be exercised',
    red: [],
    collector: 'reverse-proxy-limits',
    ...live(),
  },
  {
    id: 'network.live-at-client-runs',
    sentence: 'the name is published when clients are to be run',
    red: [],
    collector: 'client-runs',
    ...live(),
  },
  {
    id: 'network.live-at-outage',
    sentence: 'the name is published when the outage of the keys is to be tried',
    red: [],
    collector: 'jwks-outage',
    ...live(({ mcpEnv }) => ({ 'mcp-env': mcpEnv })),
  },
  {
    id: 'network.live-at-ingress',
    sentence: 'the name is published when ports are to be tried',
    red: [],
    collector: 'direct-ingress',
    ...live(() => ({ address: '127.0.0.2', witness: '9' })),
  },
  {
    id: 'operator.cold-process-refuses-anyway',
    sentence: 'the cold process is started for another resource, and refuses the token without any outage',
    red: [],
    collector: 'jwks-outage',
    make: (stage) => {
      const text = readFileSync(stage.mcpEnv, 'utf8');
      const other = text.replace(/^MCP_OAUTH_RESOURCE=.*$/m, 'MCP_OAUTH_RESOURCE=https://other.gatehouse.test/mcp');
      writeText(path.join(stage.folder, 'other-mcp.env'), other);
    },
    options: ({ folder }) => ({ 'mcp-env': path.join(folder, 'other-mcp.env') }),
    asked: outage,
    because: /refuses the good token also with the key set in reach/,
  },
  {
    id: 'operator.outage-ended-early',
    sentence: 'the key set is in reach again before the experiment has ended',
    red: [],
    collector: 'jwks-outage',
    // Two looks at the key set see it gone, and the third, at the end, does not; the cold process asks for keys as well.
    make: ({ issuer }) => issuer.fail('jwks-down', { times: 3 }),
    options: ({ mcpEnv }) => ({ 'mcp-env': mcpEnv }),
    because: /the key set was back before the end/,
  },
];

function outage({ issuer }: Stage, text: string): void {
  if (text.startsWith('Put')) {
    issuer.fail('jwks-down');
  } else {
    issuer.clearFaults();
  }
}

function portOf(url: URL): number {
  return Number(url.port);
}

function mcpPort({ settings }: Stage): number {
  return Number(settings.MCP_GATE_MCP_PORT);
}
