// Tokens, their hashes, and encryption of stored secrets. Nothing here keeps a secret.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  randomInt,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto';
import { sha256 } from './digest.ts';

/** `bytes` random bytes as lower-case hex, behind `prefix`. */
export function createToken(prefix: string, bytes: number): string {
  return prefix + randomBytes(bytes).toString('hex');
}

/** A random UUID (RFC 9562, version 4) as one string: Node composes it of two dozen parts, which a text that is held would hold. */
export function createId(): string {
  return Buffer.from(randomUUID(), 'latin1').toString('latin1');
}

export function randomHex(digits: number): string {
  return randomBytes(Math.ceil(digits / 2))
    .toString('hex')
    .slice(0, digits);
}

/** SHA-256 of the text, lower-case hex: what is stored of a token. */
export function hashToken(token: string): string {
  return sha256(token);
}

/** Compares in constant time whether `token` is the one with this hash. */
export function matchesHash(token: string, hash: string): boolean {
  return sameHash(hashToken(token), hash);
}

/** HMAC-SHA-256 of the text under a key (RFC 2104), lower-case hex: what is stored of a secret that is short, or peppered. */
export function keyedHash(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Compares two hashes, lower-case hex of the same length, in constant time. */
export function sameHash(one: string, other: string): boolean {
  const first = Buffer.from(one, 'hex');
  const second = Buffer.from(other, 'hex');
  return first.length === second.length && timingSafeEqual(first, second);
}

export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** A new key for `seal`: 32 bytes as hex. */
export function createKey(): string {
  return randomBytes(32).toString('hex');
}

/** Encrypts with AES-256-GCM; the result carries its nonce and tag, and starts with the format's version. */
export function seal(text: string, key: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `v1:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')}`;
}

/** Whether `seal` made this text. */
export function isSealed(text: string): boolean {
  return /^v1:[A-Za-z0-9+/]{38,}={0,2}$/.test(text);
}

/** Decrypts the result of `seal`. Throws when the key differs or the text was changed. */
export function unseal(sealed: string, key: string): string {
  const [version, encoded] = sealed.split(':');
  if (version !== 'v1' || encoded === undefined) {
    throw new Error('a stored secret has an unknown format');
  }
  const bytes = Buffer.from(encoded, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'hex'), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
}
