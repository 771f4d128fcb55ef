// How the mistakes of gate/mistakes/network.ts are made on the stage.
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
import type { Made } from './made.ts';

type Records = NonNullable<Parameters<NameServer['control']['setZone']>[0][string]>;

const published = (records: Records, because: RegExp): Made => ({
  make: ({ dns: { control } }) => control.setZone({ ...control.zone, [stagedName]: records }),
  because,
});

/** A resolver after the one of the stage, with what it knows. */
const secondResolver = (zone: (stage: Stage) => NameServer['control']['zone'], because: RegExp): Made => ({
  make: async (stage, after) => {
    const other = after.use(await startNameServer({ zone: zone(stage) }));
    stage.set({ MCP_GATE_DNS_SERVER: `${stage.dns.server},${other.server}` });
  },
  because,
});

/** A proxy at a second address, on the port of the first, set up as that one is, and then changed. */
const secondAddress = (change: (edge: Edge, stage: Stage) => unknown, because: RegExp): Made => ({
  make: async (stage, after) => {
    const { upstreams } = stage.edge.control;
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
): Made => ({
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
const live = (options?: Made['options']): Made => ({
  make: ({ dns: { control }, edge }) => {
    control.setZone({ ...control.zone, [stagedName]: { A: ['192.0.2.10'] } });
    edge.control.clearJournal();
  },
  ...(options ? { options } : {}),
  because: /nothing is sent to a name that is published/,
});

export const networkMade: Readonly<Record<string, Made>> = {
  'network.published-already': published({ A: ['192.0.2.10'] }, /public DNS has the name \(A,/),
  'network.published-ipv6': published({ AAAA: ['2001:db8::10'] }, /public DNS has the name \(AAAA,/),
  'network.published-alias': published({ CNAME: ['lb.gatehouse.test'] }, /public DNS has the name \(A, CNAME/),
  'network.published-service-binding': published({ HTTPS: [stagedName] }, /public DNS has the name \(HTTPS,/),
  'network.resolver-knows-nothing': {
    make: ({ dns: { control } }) => control.setZone({}),
    because: /does not know the control name/,
  },
  'network.split-horizon': secondResolver(
    ({ dns }) => ({ ...dns.control.zone, [stagedName]: { A: ['192.0.2.10'] } }),
    /says resolver 2 of 2/,
  ),
  'network.second-resolver-knows-nothing': secondResolver(() => ({}), /resolver 2 of 2 does not know the control name/),
  'network.resolver-fails': {
    make: ({ dns: { control } }) => control.fail('server-failure'),
    because: /gave no answer/,
  },
  'network.resolver-refuses': { make: ({ dns: { control } }) => control.fail('refused'), because: /gave no answer/ },
  'network.resolver-not-there': {
    make: (stage) => stage.set({ MCP_GATE_DNS_SERVER: '127.0.0.2:9' }),
    because: /gave no answer/,
  },
  'network.no-such-target': {
    make: (stage) => stage.set({ MCP_GATE_CONNECT_ADDRESS: 'no-such-host.invalid' }),
    because: /ENOTFOUND|EAI_AGAIN/,
  },
  'network.second-address-dead': {
    make: (stage) => stage.set({ MCP_GATE_CONNECT_ADDRESS: '127.0.0.1,127.0.0.2' }),
    because: /address 2 of 2: no handshake comes about \(ECONNREFUSED\)/,
  },
  'network.second-address-other-certificate': secondAddress(
    async ({ control }, { authority }) => control.setCertificate(await authority.issue(['other.gatehouse.test'])),
    /address 2 of 2: it is for another name/,
  ),
  'network.second-address-other-service': secondAddress(
    ({ control }) => control.setUpstreams({}),
    /address 2 of 2: it answers 404/,
  ),
  'network.second-address-not-enforcing': secondAddress(
    ({ control }, { settings }) => control.fail('accept-any-token', { value: settings.MCP_GATE_READ_TOKEN ?? '' }),
    /address 2 of 2: it answers 200 to a token for another audience/,
  ),
  'network.second-address-other-release': secondAddress(
    ({ control }) => control.fail('rewrite-body', { value: 'get_new_nodes => get_old_nodes' }),
    /address 2 of 2: it lists other tools/,
  ),
  'network.slow-everywhere': {
    make: (stage) => {
      stage.set({ MCP_GATE_RUN_TIMEOUT_MS: '8000', MCP_GATE_TIMEOUT_MS: '120000' });
      stage.edge.control.fail('slow', { value: 60_000 });
    },
    because: /the run took longer than MCP_GATE_RUN_TIMEOUT_MS/,
  },
  'network.other-ports-tried': {
    make: ({ evidence }) => {
      const document = JSON.parse(readFileSync(evidence, 'utf8')) as Record<string, object>;
      const directIngress = { ...document.directIngress, address: '192.0.2.10', ports: [1] };
      writeText(evidence, JSON.stringify({ ...document, directIngress }));
    },
    because: /ports lacks 443, /,
  },
  'network.hub-open': ingress((stage) => portOf(stage.hub.url), /port \d+ of 127\.0\.0\.2 is open/),
  'network.mcp-open': ingress(mcpPort, /port \d+ of 127\.0\.0\.2 is open/),
  'network.harmless-port-tried': {
    ...ingress((stage) => portOf(stage.hub.url), /port \d+ of 127\.0\.0\.2 is open/, { ports: '1' }),
  },
  'network.wrong-address': ingress(null, /the witness does not answer at 127\.0\.0\.3/, { address: '127.0.0.3' }),
  'network.stranger-at-the-address': {
    make: async (_stage, after) => {
      const server = http.createServer((_request, response) => response.end('{"proof":"none"}'));
      await listen(server, '127.0.0.3', witnessPort);
      after.defer(() => close(server));
    },
    options: () => ({ address: '127.0.0.3', witness: String(witnessPort) }),
    because: /the witness does not answer at 127\.0\.0\.3/,
  },
  'network.live-at-limits': live(),
  'network.live-at-client-runs': live(),
  'network.live-at-outage': live(({ mcpEnv }) => ({ 'mcp-env': mcpEnv })),
  'network.live-at-ingress': live(() => ({ address: '127.0.0.2', witness: '9' })),
  'operator.cold-process-refuses-anyway': {
    make: (stage) => {
      const text = readFileSync(stage.mcpEnv, 'utf8');
      const other = text.replace(/^MCP_OAUTH_RESOURCE=.*$/m, 'MCP_OAUTH_RESOURCE=https://other.gatehouse.test/mcp');
      writeText(path.join(stage.folder, 'other-mcp.env'), other);
    },
    options: ({ folder }) => ({ 'mcp-env': path.join(folder, 'other-mcp.env') }),
    asked: outage,
    because: /refuses the good token also with the key set in reach/,
  },
  'operator.outage-ended-early': {
    // Two looks at the key set see it gone, and the third, at the end, does not; the cold process asks for keys as well.
    make: ({ issuer }) => issuer.control.fail('jwks-down', { times: 3 }),
    options: ({ mcpEnv }) => ({ 'mcp-env': mcpEnv }),
    because: /the key set was back before the end/,
  },
};

function outage({ issuer }: Stage, text: string): void {
  if (text.startsWith('Put')) {
    issuer.control.fail('jwks-down');
  } else {
    issuer.control.clearFaults();
  }
}

function portOf(url: URL): number {
  return Number(url.port);
}

function mcpPort({ settings }: Stage): number {
  return Number(settings.MCP_GATE_MCP_PORT);
}
