// Validates the discovery document and key set of the issuer (docs/reference/wire-contract/7-mcp-http.md#issuer). Pure.
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { readInput } from '#kernel/text/problem.ts';
import type { OAuthSettings } from './settings.ts';

const metadata = z.looseObject({
  issuer: z.string(),
  jwks_uri: z.string(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
});

const publicKey = z.looseObject({ kty: z.string(), kid: z.string().min(1), n: z.string(), e: z.string() });
const keySet = z.object({ keys: z.array(z.unknown()).max(limits.mcpIssuerKeys) });

export type PublicKey = z.output<typeof publicKey>;

/** Addresses of the document: appended (OpenID Connect), then inserted (RFC 8414). */
export function discoveryAddresses(issuer: string): readonly string[] {
  const url = new URL(issuer);
  const path = url.pathname.replace(/\/$/, '');
  return [
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/** The address of the keys. Throws when the document is not that of `issuer` or lacks PKCE S256. */
export function keysAddress(document: unknown, { issuer, compatibility }: OAuthSettings): string {
  const parsed = readInput(metadata, document);
  if (!parsed.success) {
    throw new Error('has a discovery document that is not one');
  }
  const { issuer: named, jwks_uri: address, code_challenge_methods_supported: methods } = parsed.data;
  if (named !== issuer) {
    throw new Error('names another issuer in its discovery document');
  }
  const isForgiven = compatibility === 'cloud_idp' && methods === undefined;
  if (!isForgiven && !methods?.includes('S256')) {
    throw new Error('does not offer PKCE with S256');
  }
  if (URL.parse(address)?.origin !== new URL(issuer).origin) {
    throw new Error('keeps its keys at another origin');
  }
  return address;
}

/** The RSA keys for RS256, by id. Throws when the document is no key set. */
export function signingKeys(document: unknown): ReadonlyMap<string, PublicKey> {
  const parsed = readInput(keySet, document);
  if (!parsed.success) {
    throw new Error('has a key set that is not one, or is too large');
  }
  const usable = parsed.data.keys.flatMap((key) => {
    const { data } = readInput(publicKey, key);
    const isForSignatures = (data?.use ?? 'sig') === 'sig' && (data?.alg ?? 'RS256') === 'RS256';
    return data && data.kty === 'RSA' && isForSignatures ? [data] : [];
  });
  return new Map(usable.map((key) => [key.kid, key]));
}
