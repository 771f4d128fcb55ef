// Browser logins under way: from the redirect to the issuer until its answer. In memory, bounded, each used once.
import { randomBytes } from 'node:crypto';
import type { ServerMetadata } from 'openid-client';
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import { hashToken } from '#kernel/secret.ts';

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

export interface OidcFlows {
  /** Throws AppError `oidc_too_many_flows` above 1,000. */
  begin(of: Pick<OidcFlow, 'clientId' | 'redirectUri' | 'metadata' | 'returnTo'>): OidcFlow;
  /** The flow of this state, once, within ten minutes; null otherwise. */
  take(state: string): OidcFlow | null;
}

export function createOidcFlows(clock: Clock): OidcFlows {
  const flows = new Map<string, OidcFlow & { expiresAt: number }>();
  const dropExpired = () => {
    for (const [key, { expiresAt }] of flows) {
      if (expiresAt <= clock.now()) {
        flows.delete(key);
      }
    }
  };
  return {
    begin(of) {
      dropExpired();
      if (flows.size >= limits.oidcFlows) {
        throw new AppError('oidc_too_many_flows', 'too many logins are under way: try again in ten minutes');
      }
      const flow = { ...of, state: random(32), nonce: random(32), verifier: random(48) };
      flows.set(hashToken(flow.state), { ...flow, expiresAt: clock.now() + limits.oidcFlowMs });
      return flow;
    },
    take(state) {
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
