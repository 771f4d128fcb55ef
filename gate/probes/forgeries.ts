// Tokens that nobody issued: the claims of the read token, signed by the gate in each way that a verifier can be misled
// by (RFC 8725 §2.1, §2.6, §3.10). None leaves the staged endpoint's way, and none outlives the claims it repeats.
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import {
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

export interface Forger {
  /** RS256 with a key of the gate's own, and the header of the read token with `header` over it. */
  ownKey(change?: {
    header?: Partial<JWTHeaderParameters>;
    claims?: Readonly<Record<string, unknown>>;
  }): Promise<string>;
  /** `alg: none`, without a signature. */
  unsigned(): string;
  /** HS256; the secret is the issuer's public key in each form that servers keep it in. */
  symmetric(): Promise<Readonly<Record<'pem' | 'der' | 'jwk', string>>>;
  /** Public half of the gate's key, with the key id of the read token. */
  readonly publicKey: JWK;
}

/** `keys` are those of the issuer; the one that signed `readToken` must be among them. */
export async function createForger(readToken: string, keys: readonly JWK[]): Promise<Forger> {
  const header = decodeProtectedHeader(readToken) as JWTHeaderParameters;
  const claims = decodeJwt(readToken);
  const own = await generateKeyPair('RS256', { extractable: true });
  const issuerKey = keys.find(({ kid }) => kid === header.kid) ?? {};
  const { kid } = header;
  return {
    publicKey: { ...(await exportJWK(own.publicKey)), ...(kid === undefined ? {} : { kid }), alg: 'RS256', use: 'sig' },
    ownKey: (change = {}) =>
      new SignJWT({ ...claims, ...change.claims })
        .setProtectedHeader({ ...header, ...change.header, alg: 'RS256' })
        .sign(own.privateKey),
    unsigned: () => `${encoded({ ...header, alg: 'none' })}.${encoded(claims)}.`,
    async symmetric() {
      const key = createPublicKey({ key: issuerKey as JsonWebKey, format: 'jwk' });
      const signed = (secret: string | Buffer) =>
        new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(Buffer.from(secret));
      return {
        pem: await signed(key.export({ type: 'spki', format: 'pem' })),
        der: await signed(key.export({ type: 'spki', format: 'der' })),
        jwk: await signed(JSON.stringify(issuerKey)),
      };
    },
  };
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
