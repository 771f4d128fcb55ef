// Whether ports of an address take connections: run it where strangers are, outside the network.
import { connect } from 'node:net';
import { GateError } from '../private-file.ts';
import type { CollectContext, Collector } from './collector.ts';

type Tried = 'open' | 'closed' | 'unclear';

export const directIngress: Collector = {
  name: 'direct-ingress',
  summary: 'the ports of hub, MCP server and 443 of an address take no connection',
  item: 'directIngress',
  options: { address: { type: 'string' }, ports: { type: 'string' }, control: { type: 'string' } },
  help: `  --address A          public address of the machine that is behind the proxy
  --ports N,N,…        ports that must be closed (443,3000,3001)
  --control HOST:PORT  a port that is open, to show that this machine does reach out (the endpoint's own, when absent)
`,
  async run(context) {
    const { address, ports = '443,3000,3001', control } = context.options;
    if (typeof address !== 'string') {
      throw new GateError('--address is missing: the public address of the machine behind the proxy');
    }
    const { config, transcript } = context;
    const { port: endpointPort } = config.MCP_GATE_ENDPOINT.url;
    const standard = `${config.MCP_GATE_CONNECT_ADDRESS}:${endpointPort || 443}`;
    const reference = await tryPort(...addressOf(typeof control === 'string' ? control : standard), context);
    transcript.add('connected to a port that is open', reference);
    const found: [number, Tried][] = [];
    for (const port of portsOf(String(ports))) {
      const tried = await tryPort(address, port, context);
      transcript.add(`connected to port ${port}`, tried);
      found.push([port, tried]);
    }
    return {
      fields: { portsClosed: found.every(([, tried]) => tried === 'closed') },
      objections: [
        ...(reference === 'open'
          ? []
          : ['no connection to the open port came about either: this machine shows nothing']),
        ...found.flatMap(([port, tried]) => (tried === 'closed' ? [] : [`port ${port} is ${tried}`])),
      ],
    };
  },
};

/** Refused and unanswered count as closed; a network that is not there says nothing. */
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

function portsOf(text: string): number[] {
  const ports = text.split(',').map((part) => (/^\d{1,5}$/.test(part.trim()) ? Number(part) : Number.NaN));
  if (!ports.every((port) => port >= 1 && port <= 65_535)) {
    throw new GateError('--ports must be port numbers with commas between');
  }
  return ports;
}

function addressOf(text: string): [host: string, port: number] {
  const at = text.lastIndexOf(':');
  const [port = 0] = portsOf(text.slice(at + 1));
  return [text.slice(0, at).replace(/^\[|\]$/g, ''), port];
}
