// AWS Signature Version 4, checked: the signature is computed again from the request and the secret key of the settings.
// Source: AWS, "Create a signed AWS API request" (Signature Version 4 for API requests).
import { createHmac } from 'node:crypto';
import { sha256 } from '#kernel/text/digest.ts';
import { utcTime } from '#kernel/time/clock.ts';
import { refuseWithException } from './bedrock-errors.ts';
import type { Exchange } from './provider.ts';
import type { AiRequest } from './received.ts';
import type { Reply } from './reply.ts';

/** How far the time of a signature may be off, in milliseconds. */
const toleranceMs = 5 * 60_000;
const algorithm = 'AWS4-HMAC-SHA256';
const service = 'bedrock';

/** Why the signature of a request is refused; null when it is good. */
export function signatureRefusal({ request, settings, signatureNow }: Exchange): Reply | null {
  const { authorization = '', 'x-amz-date': date = '' } = request.headers;
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/\s]+)\/(\d{8})\/([^/\s]+)\/([^/\s]+)\/aws4_request,\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  const signedAt = parseAmzDate(date);
  if (!parts || signedAt === null) {
    return refuseWithException(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
  const [, keyId, day = '', region = '', named, signedHeaders = '', signature] = parts;
  const { accessKeyId, secretAccessKey } = settings.keys;
  if (keyId !== accessKeyId) {
    return refuseWithException(
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    );
  }
  if (region !== settings.region || named !== service) {
    const message = `Credential should be scoped to a valid region, not '${region}', and to the service '${service}'.`;
    return refuseWithException(403, 'InvalidSignatureException', message);
  }
  if (Math.abs(signatureNow - signedAt) > toleranceMs || !date.startsWith(day)) {
    return refuseWithException(403, 'InvalidSignatureException', `Signature expired: ${date} is too far from now.`);
  }
  const scope = [day, region, service, 'aws4_request'];
  const toSign = [algorithm, date, scope.join('/'), sha256(canonical(request, signedHeaders))].join('\n');
  const key = scope.reduce<string | Buffer>((from, word) => hmac(from, word), `AWS4${secretAccessKey}`);
  const isSame = hmac(key, toSign).toString('hex') === signature;
  const isSigned = ['host', 'x-amz-date'].every((name) => signedHeaders.split(';').includes(name));
  const message = 'The request signature we calculated does not match the signature you provided.';
  return isSame && isSigned ? null : refuseWithException(403, 'InvalidSignatureException', message);
}

function canonical({ method, fullPath, query, headers, body }: AiRequest, signedHeaders: string): string {
  const lines = signedHeaders
    .split(';')
    .map((name) => `${name}:${(headers[name] ?? '').trim().replace(/\s+/g, ' ')}\n`);
  const path = fullPath.split('/').map(encode).join('/');
  return [method, path, canonicalQuery(query), lines.join(''), signedHeaders, sha256(body)].join('\n');
}

function canonicalQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.toSorted().join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Epoch milliseconds of `20261125T084843Z`; null for other text. */
function parseAmzDate(date: string): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date)?.slice(1).map(Number);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts ?? [];
  return parts ? utcTime(year, month, day, hour, minute, second) : null;
}
