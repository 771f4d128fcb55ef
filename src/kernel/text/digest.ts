// The only digest: SHA-256.
import { createHash } from 'node:crypto';

/** SHA-256 of a text (as UTF-8) or of bytes, in lower-case hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The first 72 bits of the SHA-256 of a text, as 12 characters (base64url): for keys that are held by the ten thousand.
 * V8 copies so short a part; a longer one would hold the whole digest in memory.
 */
export function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
