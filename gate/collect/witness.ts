// The other end of `collect direct-ingress`: a program on the host behind the proxy that shows, to whoever holds the
// gate's secret, that an address leads to that host. Without it every port of a wrong address looks closed.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { close, listen } from '#kernel/http/listening.ts';
import { type GateConfig, hubAddress } from '../config.ts';
import { toMembers } from '../json.ts';
import { GateError } from '../private-file.ts';
import { type Address, createHttp, type Http } from '../target.ts';

export interface WitnessOptions {
  config: GateConfig;
  /** Where it listens: an address that strangers reach, or every one. */
  host: string;
  /** 0 picks a free one. */
  port: number;
}

export interface Witness extends AsyncDisposable {
  readonly port: number;
}

const noncePattern = /^\/\?nonce=([0-9a-f]{64})$/;

/**
 * Listens once hub and MCP server are seen at the ports of the settings. Rejects with a GateError that says what is
 * not.
 */
export async function startWitness({ config, host, port }: WitnessOptions): Promise<Witness> {
  await requireServices(config);
  const server = createServer((request, response) => {
    const [, nonce] = noncePattern.exec(request.url ?? '') ?? [];
    response.writeHead(nonce === undefined ? 404 : 200, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(nonce === undefined ? {} : { proof: createProof(config, nonce) }));
  });
  const address = await listen(server, host, port);
  return {
    port: Number(address.slice(address.lastIndexOf(':') + 1)),
    [Symbol.asyncDispose]: () => close(server),
  };
}

/** Whether the witness of this gate answers at an address. */
export async function isWitnessed(
  address: Address,
  port: number,
  { config, signal }: { config: GateConfig; signal: AbortSignal },
): Promise<boolean> {
  const nonce = randomBytes(32).toString('hex');
  await using http = createHttp({ timeoutMs: config.MCP_GATE_TIMEOUT_MS, signal }, address);
  try {
    const { status, json } = await http.ask('witness', new URL(`http://witness.invalid:${port}/?nonce=${nonce}`));
    const { proof } = toMembers(json);
    return status === 200 && typeof proof === 'string' && isSame(proof, createProof(config, nonce));
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** The ports of the settings must be those that are in use here, or outside the wrong ones would be looked at. */
async function requireServices(config: GateConfig): Promise<void> {
  await using http = createHttp({ timeoutMs: config.MCP_GATE_TIMEOUT_MS });
  const routers = await fetchStatus(http, hubAddress(config, 'api/routers'), config.MCP_GATE_MONITOR_TOKEN);
  if (routers !== 200) {
    throw new GateError(
      'no hub that takes MCP_GATE_MONITOR_TOKEN answers at MCP_GATE_MONITOR_URL: start it, then this',
    );
  }
  const metadata = new URL(`http://127.0.0.1:${config.MCP_GATE_MCP_PORT}/.well-known/oauth-protected-resource`);
  if ((await fetchStatus(http, metadata)) !== 200) {
    throw new GateError(
      `no MCP server answers at 127.0.0.1:${config.MCP_GATE_MCP_PORT}: correct MCP_GATE_MCP_PORT, or start the server`,
    );
  }
}

async function fetchStatus(http: Http, url: URL, token?: string): Promise<number | null> {
  try {
    return (await http.ask('here', url, token === undefined ? {} : { headers: { 'x-admin-token': token } })).status;
  } catch {
    return null;
  }
}

function createProof(
  { MCP_GATE_MONITOR_TOKEN: secret, MCP_GATE_RESOURCE: resource }: GateConfig,
  nonce: string,
): string {
  return createHmac('sha256', secret).update(`gatehouse direct-ingress\n${resource}\n${nonce}`).digest('hex');
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
