// Resolves the staged endpoint for commands that connect to it.
import { type DnsAsk, requireUnpublished } from './public-dns.ts';
import { type Address, resolveTarget } from './target.ts';

/** Rejects with a GateError when the name is or may be in public DNS: the endpoint may be in production. */
export async function stagedTarget(ask: DnsAsk): Promise<readonly [Address, ...Address[]]> {
  await requireUnpublished(ask);
  return resolveTarget(ask.config.MCP_GATE_CONNECT_ADDRESS);
}
