// Browser logins under way: from the redirect to the issuer until its answer. In memory, bounded, each used once.
import { randomBytes } from 'node:crypto';
import type { ServerMetadata } from 'openid-client';
import { oidcLimits } from '#contract/oidc-limits.ts';
import { clientKey } from '#kernel/net/address-key.ts';
import { hashToken } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { createSteadyClock } from '#kernel/time/steady-clock.ts';

export interface OidcFlow {
  state: string;
  nonce: string;
  /** PKCE code verifier; only its SHA-256 left the hub. */
  verifier: string;
  clientId: string;
  redirectUri: string;
  /** What discovery said when the flow began: its answer must come from this issuer. */
  metadata: ServerMetadata;
  /** Path of the UI to go to afterwards. */
  returnTo: string | null;
}

export function createOidcFlows(wallClock: Clock) {
  const clock = createSteadyClock(wallClock);
  const flows = new Map<string, OidcFlow & { expiresAt: number; client: string }>();
  const dropExpired = () => {
    for (const [key, { expiresAt }] of flows) {
      if (expiresAt <= clock.now()) {
        flows.delete(key);
      }
    }
  };
  /** The keys of each client's flows, oldest first; clients by their oldest. */
  const keysByClient = () => {
    const keys = new Map<string, string[]>();
    for (const [key, { client }] of flows) {
      keys.set(client, [...(keys.get(client) ?? []), key]);
    }
    return keys;
  };
  const makeRoom = (client: string) => {
    const keys = keysByClient();
    const own = keys.get(client) ?? [];
    const most = [...keys.values()].reduce((longest, one) => (one.length > longest.length ? one : longest), own);
    const isFull = flows.size >= oidcLimits.oidcFlows;
    const [oldest] = own.length >= oidcLimits.oidcFlowsOfClient ? own : isFull ? most : [];
    flows.delete(oldest ?? '');
  };
  return {
    /**
     * Begins a flow for the client at `address`. Ten of a client and 1,000 of all may be under way: the oldest of this
     * client, or of the one that has most, ends for one more.
     */
    begin(of: Pick<OidcFlow, 'clientId' | 'redirectUri' | 'metadata' | 'returnTo'>, address: string) {
      dropExpired();
      const client = clientKey(address);
      makeRoom(client);
      const flow = { ...of, state: random(32), nonce: random(32), verifier: random(48) };
      flows.set(hashToken(flow.state), { ...flow, client, expiresAt: clock.now() + oidcLimits.oidcFlowMs });
      return flow;
    },
    /** The flow of this state, once, within ten minutes; null otherwise. */
    take(state: string) {
      dropExpired();
      const key = hashToken(state);
      const flow = flows.get(key);
      flows.delete(key);
      return flow ?? null;
    },
  };
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
