// The five tokens of the gate, taken from the simulated issuer as an operator takes them from a real one.
import type { CollectContext } from '#gate/collect/collector.ts';
import { type OAuthClient, openOAuthClient } from '#gate/collect/oauth-client.ts';
import { createTranscript } from '#gate/collect/transcript.ts';
import type { GateConfig } from '#gate/config.ts';
import { systemClock } from '#kernel/clock.ts';
import type { IssuerSimulator } from '#simulators/oidc/issuer.ts';
import type { ShiftedClock } from '#simulators/shifted-clock.ts';

export interface TokenSource {
  issuer: IssuerSimulator;
  /** The issuer's own: what it stamps tokens with. */
  clock: ShiftedClock;
  resource: string;
  scopes: { read: string; write: string };
  ca: string;
}

const hourMs = 3_600_000;

/** Variables of the gate. The expired and the revoked token were issued an hour ago. */
export async function takeTokens(source: TokenSource): Promise<Record<string, string>> {
  const { clock, scopes, resource } = source;
  await using client = await clientFor(source, resource);
  await using other = await clientFor(source, 'https://other.gatehouse.test/mcp');
  const token = async (from: OAuthClient, wanted: readonly string[]) => (await from.login(wanted)).accessToken;
  clock.advance(-hourMs);
  const expired = await token(client, [scopes.read]);
  const revoked = await client.login([scopes.read, scopes.write]);
  await client.revoke(revoked.refreshToken ?? '');
  clock.advance(hourMs);
  return {
    MCP_GATE_READ_TOKEN: await token(client, [scopes.read]),
    MCP_GATE_WRITE_TOKEN: await token(client, [scopes.read, scopes.write]),
    MCP_GATE_EXPIRED_TOKEN: expired,
    MCP_GATE_WRONG_AUDIENCE_TOKEN: await token(other, [scopes.read]),
    MCP_GATE_REVOKED_EXPIRED_TOKEN: revoked.accessToken,
  };
}

/** People and clients beside those of the five tokens, for the limits of each. */
export const limitUsers = ['user-2', 'user-3'] as const;
export const limitClients = ['gatehouse-limit-1', 'gatehouse-limit-2'] as const;

/** Read tokens for MCP_GATE_LIMIT_TOKENS: two people with one client, and one of them with another. */
export async function takeLimitTokens(source: TokenSource): Promise<Record<string, string>> {
  const { issuer, scopes, resource } = source;
  const [one, two] = limitUsers;
  const [first, second] = limitClients;
  const tokens: string[] = [];
  for (const [user, id] of [
    [one, first],
    [two, first],
    [two, second],
  ] as const) {
    issuer.control.loginAs(user);
    await using client = await clientFor(source, resource, id);
    const { accessToken } = await client.login([scopes.read]);
    tokens.push(accessToken);
  }
  issuer.control.loginAs('user-1');
  return { MCP_GATE_LIMIT_TOKENS: tokens.join(' ') };
}

function clientFor({ issuer, ca }: TokenSource, resource: string, id?: string): Promise<OAuthClient> {
  const config = { MCP_GATE_ISSUER: issuer.issuer, MCP_GATE_RESOURCE: resource, MCP_GATE_TIMEOUT_MS: 30_000 };
  return openOAuthClient(unattended(config as GateConfig, ca, id === undefined ? {} : { 'client-id': id }));
}

/** A collector's context without a person: signing in follows redirects, and nothing is shown. */
export function unattended(config: GateConfig, ca: string, options: CollectContext['options'] = {}): CollectContext {
  return {
    config,
    clock: systemClock,
    ca,
    options: { automatic: true, ...options },
    transcript: createTranscript(
      () => systemClock.now(),
      () => {},
    ),
    signal: new AbortController().signal,
    say: () => {},
  };
}
