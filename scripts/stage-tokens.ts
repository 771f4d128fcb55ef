// The tokens of the gate, taken from the simulated issuer as an operator takes them from a real one.
import type { CollectContext } from '#gate/collect/collector.ts';
import { type OAuthClient, openOAuthClient } from '#gate/collect/oauth-client.ts';
import { createTranscript } from '#gate/collect/transcript.ts';
import type { GateConfig } from '#gate/config.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { IssuerFault } from '#simulators/oidc/faults.ts';
import type { IssuerSimulator } from '#simulators/oidc/issuer.ts';
import type { ShiftedClock } from '#simulators/support/shifted-clock.ts';

export interface TokenSource {
  issuer: IssuerSimulator;
  /** The issuer's own: what it stamps tokens with. */
  clock: ShiftedClock;
  resource: string;
  scopes: { read: string; write: string };
  ca: string;
  /** How long its access tokens live. */
  lifetimeMs: number;
}

/** How long ago the expired tokens expired: longer than any leeway, and recently. */
const expiredForMs = 120_000;

/** A client of the issuer beside that of the gate. */
export const otherClient = {
  id: 'gatehouse-other',
  secret: null,
  redirectUris: ['http://127.0.0.1/callback'],
  kind: 'native',
  refresh: true,
} as const;

export interface TokenWish {
  scopes?: readonly string[];
  /** The resource of the stage when absent. */
  resource?: string;
  clientId?: string;
  /** User who signs in; the first one when absent. */
  user?: string;
  /** How long ago it expired; it is live when absent. */
  expiredForMs?: number;
  /** What the issuer does wrong with it. */
  fault?: IssuerFault;
  /** Its grant is revoked at once. */
  revoked?: boolean;
}

/** One access token, with the read scope when nothing else is wished. */
export async function takeToken(source: TokenSource, wish: TokenWish = {}): Promise<string> {
  const { issuer, clock, scopes, lifetimeMs } = source;
  const { resource = source.resource, user = 'user-1', clientId, fault } = wish;
  await using client = await clientFor(source, resource, clientId);
  const agoMs = wish.expiredForMs === undefined ? 0 : lifetimeMs + wish.expiredForMs;
  issuer.loginAs(user);
  clock.advance(-agoMs);
  try {
    if (fault !== undefined) {
      issuer.fail(fault, { times: 1 });
    }
    const { accessToken, refreshToken } = await client.login(wish.scopes ?? [scopes.read]);
    if (wish.revoked) {
      await client.revoke(refreshToken ?? '');
    }
    return accessToken;
  } finally {
    clock.advance(agoMs);
    issuer.loginAs('user-1');
  }
}

/** People and clients beside those of the other tokens, for the limits of each. */
export const limitUsers = ['user-2', 'user-3'] as const;
export const limitClients = ['gatehouse-limit-1', 'gatehouse-limit-2'] as const;

/**
 * Variables of the gate. The revoked token has expired too; those of the limits are of two people with one client, and of
 * one of them with another.
 */
export async function takeTokens(source: TokenSource): Promise<Record<string, string>> {
  const { scopes, resource } = source;
  const token = (wish?: TokenWish) => takeToken(source, wish);
  const [one, two] = limitUsers;
  const [first, second] = limitClients;
  const ofOthers = [
    await token({ user: one, clientId: first }),
    await token({ user: two, clientId: first }),
    await token({ user: two, clientId: second }),
  ];
  return {
    MCP_GATE_EXPIRED_TOKEN: await token({ expiredForMs }),
    MCP_GATE_REVOKED_EXPIRED_TOKEN: await token({ expiredForMs, revoked: true }),
    MCP_GATE_READ_TOKEN: await token(),
    MCP_GATE_WRITE_TOKEN: await token({ scopes: [scopes.read, scopes.write] }),
    MCP_GATE_WRONG_AUDIENCE_TOKEN: await token({ resource: new URL(resource).origin }),
    MCP_GATE_NEAR_AUDIENCE_TOKEN: await token({ resource: `${resource}-other` }),
    MCP_GATE_AUDIENCE_LIST_TOKEN: await token({ fault: 'two-audiences' }),
    MCP_GATE_OTHER_ISSUER_TOKEN: await token({ fault: 'wrong-issuer' }),
    MCP_GATE_WRITE_ONLY_TOKEN: await token({ scopes: [scopes.write] }),
    MCP_GATE_LIMIT_TOKENS: ofOthers.join(' '),
  };
}

function clientFor({ issuer, ca }: TokenSource, resource: string, clientId?: string): Promise<OAuthClient> {
  const config = { MCP_GATE_ISSUER: issuer.issuer, MCP_GATE_RESOURCE: resource, MCP_GATE_TIMEOUT_MS: 30_000 };
  return openOAuthClient(unattended(config as GateConfig, ca, clientId === undefined ? {} : { 'client-id': clientId }));
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
