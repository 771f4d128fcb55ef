// The addresses of the staged endpoint, for those who send more to it than the DNS question.
import { type DnsAsk, requireUnpublished } from './public-dns.ts';
import { type Address, resolveTarget } from './target.ts';

/** Rejects with a GateError when the name is in public DNS, or may be: what is behind it may be in use. */
export async function stagedTarget(ask: DnsAsk): Promise<readonly [Address, ...Address[]]> {
  await requireUnpublished(ask);
  return resolveTarget(ask.config.MCP_GATE_CONNECT_ADDRESS);
}
