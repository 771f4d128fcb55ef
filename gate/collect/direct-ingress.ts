// Collector: tests whether ports of an address accept connections. Run it outside the network.
import { connect } from 'node:net';
import { ingressPorts } from '../config.ts';
import { GateError } from '../private-file.ts';
import { requireUnpublished } from '../public-dns.ts';
import { resolveTarget } from '../target.ts';
import type { CollectContext, Collector } from './collector.ts';
import { isWitnessed } from './witness.ts';

type Tried = 'open' | 'closed' | 'unclear';

export const directIngress: Collector = {
  name: 'direct-ingress',
  summary: 'the ports of hub, MCP server and 443 of an address take no connection, and the address is the host',
  item: 'directIngress',
  options: { address: { type: 'string' }, ports: { type: 'string' }, witness: { type: 'string' } },
  help: `  --address A,A,…      public addresses of the machine that is behind the proxy
  --witness N          port of \`gatehouse gate witness\`, which runs on that machine for as long as this does
  --ports N,N,…        further ports that must be closed, as well as 443 and those of MCP_GATE_MONITOR_URL and MCP_GATE_MCP_PORT
`,
  async run(context) {
    const { address, ports: more, witness } = context.options;
    if (typeof address !== 'string') {
      throw new GateError('--address is missing: the public address of the machine behind the proxy');
    }
    if (typeof witness !== 'string') {
      throw new GateError('--witness is missing: the port of `gatehouse gate witness` on the machine behind the proxy');
    }
    const { config, transcript } = context;
    const [witnessPort = 0] = parsePorts('witness', witness);
    const ports = [
      ...new Set([...ingressPorts(config), ...(typeof more === 'string' ? parsePorts('ports', more) : [])]),
    ];
    await requireUnpublished(context);
    const objections: string[] = [];
    for (const one of await resolveTarget(address)) {
      const isHost = await isWitnessed(one, witnessPort, context);
      transcript.add(`asked the witness at ${one.address}`, isHost ? 'it is the host' : 'no answer of the witness');
      if (!isHost) {
        objections.push(`the witness does not answer at ${one.address}: closed ports there show nothing`);
      }
      for (const port of ports) {
        const tried = await tryPort(one.address, port, context);
        transcript.add(`connected to ${one.address}, port ${port}`, tried);
        if (tried !== 'closed') {
          objections.push(`port ${port} of ${one.address} is ${tried}`);
        }
      }
    }
    return { fields: { portsClosed: objections.length === 0, address, ports }, objections };
  },
};

/** Refused and unanswered connections count as closed; an unreachable network proves nothing. */
function tryPort(host: string, port: number, { config, signal }: CollectContext): Promise<Tried> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: config.MCP_GATE_TIMEOUT_MS, signal });
    const end = (tried: Tried) => {
      socket.destroy();
      resolve(tried);
    };
    socket.once('connect', () => end('open'));
    socket.once('timeout', () => end('closed'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      end(['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(code ?? '') ? 'closed' : 'unclear'),
    );
  });
}

function parsePorts(option: string, text: string): number[] {
  const ports = text.split(',').map((part) => (/^\d{1,5}$/.test(part.trim()) ? Number(part) : Number.NaN));
  if (!ports.every((port) => port >= 1 && port <= 65_535)) {
    throw new GateError(`--${option} must be port numbers with commas between`);
  }
  return ports;
}
