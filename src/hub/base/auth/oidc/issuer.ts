// The issuer as it describes itself: discovery and keys, each cached for an hour. One issuer is known at a time.
import {
  allowInsecureRequests,
  type CustomFetch,
  customFetch,
  discovery,
  type ExportedJWKSCache,
  type ServerMetadata,
} from 'openid-client';
import { oidcLimits } from '#contract/oidc-limits.ts';
import { type Clock, elapsed } from '#kernel/time/clock.ts';
import { createFact } from '../../refusals.ts';
import { appErrorIn, libraryReason } from './failure.ts';
import { isPlainLoopback, parseIssuer, requireUsable, unusable } from './metadata.ts';

type Jwks = ExportedJWKSCache['jwks'];

export type OidcIssuer = ReturnType<typeof createOidcIssuer>;

export function createOidcIssuer({ clock, fetch }: { clock: Clock; fetch: CustomFetch }) {
  const isRecent = (at: number) => elapsed(at, clock.now()) < oidcLimits.oidcCacheMs;
  let known: { issuer: string; at: number; metadata: Promise<ServerMetadata> } | null = null;
  let keys: { uri: string; at: number; jwks: Jwks } | null = null;

  const forget = (asked: Promise<ServerMetadata>) => {
    known = known?.metadata === asked ? null : known;
  };
  return {
    /** From memory unless older than an hour or `fresh`; rejects with a 503 AppError. Parallel calls ask once. */
    discover(issuer: string, fresh = false) {
      if (known?.issuer === issuer && isRecent(known.at) && !fresh) {
        return known.metadata;
      }
      const metadata = ask(issuer, fetch);
      known = { issuer, at: clock.now(), metadata };
      metadata.catch(() => forget(metadata));
      return metadata;
    },
    /** The keys fetched from `jwks_uri` within the last hour, or null. */
    keysOf: ({ jwks_uri }: ServerMetadata) =>
      keys !== null && keys.uri === jwks_uri && isRecent(keys.at) ? keys.jwks : null,
    keepKeys({ jwks_uri }: ServerMetadata, jwks: Jwks) {
      keys = { uri: jwks_uri ?? '', at: clock.now(), jwks };
    },
  };
}

async function ask(issuer: string, fetch: CustomFetch): Promise<ServerMetadata> {
  const url = parseIssuer(issuer);
  const metadata = await discover(url, fetch);
  requireUsable(metadata);
  return metadata;
}

async function discover(url: URL, fetch: CustomFetch): Promise<ServerMetadata> {
  try {
    const found = await discovery(url, 'discovery', undefined, undefined, {
      [customFetch]: fetch,
      execute: isPlainLoopback(url) ? [allowInsecureRequests] : [],
    });
    return found.serverMetadata();
  } catch (error) {
    const detail = libraryReason(error);
    throw (
      appErrorIn(error) ??
      unusable(`its discovery document was refused: ${detail}`, createFact('oidc_discovery', { detail }))
    );
  }
}
