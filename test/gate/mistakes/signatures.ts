// Wrong and right ways to verify a token, as endpoints have them.
import { createHmac, createPublicKey, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type CompactVerifyGetKey,
  compactVerify,
  createLocalJWKSet,
  EmbeddedJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose';
import { readIssuer } from '#gate/probes/issuer-discovery.ts';
import { createHttp, type Http } from '#gate/target.ts';
import type { Stage } from '../../../scripts/stage.ts';
import type { Token } from '../hostile-endpoint.ts';

/** Signed with a key of the issuer; no claim is looked at. */
export async function issuerSigned(token: Token, stage: Stage): Promise<boolean> {
  await using http = httpOf(stage);
  const { keys } = await readIssuer(http, stage.issuer.issuer);
  return verifies(token, createLocalJWKSet(keys));
}

/** Algorithm confusion: the algorithm of the header, and the text of the public key as its secret. */
export async function hmacVerifies(
  { header, text }: Token,
  form: 'pem' | 'der' | 'jwk',
  stage: Stage,
): Promise<boolean> {
  if (header.alg !== 'HS256') {
    return false;
  }
  await using http = httpOf(stage);
  const { keys } = await readIssuer(http, stage.issuer.issuer);
  const jwk = keys.keys.find(({ kid }) => kid === header.kid) as JWK;
  const [head, claims, signature = ''] = text.split('.');
  const made = createHmac('sha256', secretOf(jwk, form)).update(`${head}.${claims}`).digest();
  const given = Buffer.from(signature, 'base64url');
  return given.length === made.length && timingSafeEqual(given, made);
}

/** Signed with the key that the header has in it. */
export function embeddedKeyVerifies(token: Token): Promise<boolean> {
  return token.header.jwk === undefined ? Promise.resolve(false) : verifies(token, EmbeddedJWK);
}

/** Signed with a key of the set at `address`, wherever that is. */
export async function fetchedKeysVerify(token: Token, address: string | undefined, stage: Stage): Promise<boolean> {
  if (address === undefined || !URL.canParse(address)) {
    return false;
  }
  await using http = httpOf(stage);
  try {
    const { json } = await http.ask('keys', new URL(address));
    return await verifies(token, createLocalJWKSet(json as JSONWebKeySet));
  } catch (error) {
    if (error instanceof Error) {
      return false;
    }
    throw error;
  }
}

async function verifies({ text }: Token, key: CompactVerifyGetKey): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: ['RS256'] });
    return true;
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('ERR_J')) {
      return false;
    }
    throw error;
  }
}

function secretOf(jwk: JWK, form: 'pem' | 'der' | 'jwk'): string | Buffer {
  if (form === 'jwk') {
    return JSON.stringify(jwk);
  }
  const key = createPublicKey({ key: jwk as never, format: 'jwk' });
  return form === 'pem'
    ? key.export({ type: 'spki', format: 'pem' }).toString()
    : key.export({ type: 'spki', format: 'der' });
}

function httpOf({ settings }: Stage): Http {
  return createHttp({ timeoutMs: 5000, ca: readFileSync(settings.MCP_GATE_CA_PATH ?? '', 'utf8') });
}
