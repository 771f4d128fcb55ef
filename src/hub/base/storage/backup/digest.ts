// The header Content-Digest (RFC 9530 §2): what the bytes of a message must be.
import { AppError } from '#kernel/errors.ts';

/** `sha256`: lower-case hex. */
export function formatContentDigest(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
}

/** The SHA-256 in it as lower-case hex; null without one. Throws AppError `digest_mismatch` for one that is no SHA-256. */
export function parseContentDigest(header: string | string[] | undefined): string | null {
  if (header === undefined) {
    return null;
  }
  const [, base64 = ''] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(String(header)) ?? [];
  if (base64 === '' && !/(?:^|,)\s*sha-256=/.test(String(header))) {
    return null;
  }
  const hex = Buffer.from(base64, 'base64').toString('hex');
  if (hex.length !== 64) {
    throw new AppError('digest_mismatch', 'Content-Digest holds no SHA-256: send sha-256=:BASE64:, or leave it out');
  }
  return hex;
}
