// The issuer's RS256 key, made at start and forgotten at stop, and the signing of an ID token anew with changed claims.
import { createPublicKey, randomUUID } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';

/** A private RSA key as JWK, with `kid`, `alg` and `use`. */
export type SigningKey = JWK & { kid: string };

export async function createSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
}

/** A public P-256 key as JWK, which signs no RS256. */
export async function createEllipticKey(): Promise<JWK> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(publicKey)), kid: randomUUID(), alg: 'ES256', use: 'sig' };
}

export function publicHalf({ kty = '', n = '', e = '', kid, alg = '', use = '' }: SigningKey): JWK {
  return { kty, n, e, kid, alg, use };
}

/** The same token with other claims: RS256 with the key, or HS256 with a text (null: the public key as PEM). */
export async function signAgain(
  token: string,
  claims: Record<string, unknown>,
  key: SigningKey,
  symmetric?: { secret: string | null },
): Promise<string> {
  const unsigned = new SignJWT({ ...decodeJwt(token), ...claims });
  const header = decodeProtectedHeader(token);
  if (!symmetric) {
    return unsigned.setProtectedHeader({ ...header, alg: 'RS256' }).sign(await importJWK(key, 'RS256'));
  }
  const secret = symmetric.secret ?? publicPem(key);
  return unsigned.setProtectedHeader({ ...header, alg: 'HS256' }).sign(new TextEncoder().encode(secret));
}

function publicPem({ kty = '', n = '', e = '' }: SigningKey): string {
  return createPublicKey({ key: { kty, n, e }, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
}
