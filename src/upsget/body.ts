// Decodes the body of a response to text: content codings, then the character encoding.
import { Failure } from './failure.ts';
import { limits } from './limits.ts';
import { parseTokens, type Token } from './tokens.ts';

/** RFC 9110, section 8.4.1: `x-gzip` is gzip. */
type Unpack = 'gunzip' | 'inflate';
const codings: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', 'gunzip'],
  ['x-gzip', 'gunzip'],
  ['deflate', 'inflate'],
]);
/** One page needs one; a proxy may add another. */
const mostCodings = 4;

/**
 * Removes the codings of Content-Encoding (RFC 9110, section 8.4), the last one first. upsget requests no compression,
 * but a proxy may add it. Throws a Failure that names unsupported codings, and the errors of zlib.
 */
export async function decodeContent(bytes: Buffer, contentEncoding: string | undefined): Promise<Buffer> {
  const names = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const steps = names.map((name) => codings.get(name));
  if (steps.includes(undefined) || steps.length > mostCodings) {
    throw new Failure(`the page is packed as "${contentEncoding?.slice(0, 40)}", which upsget does not read`);
  }
  if (steps.length === 0) {
    return bytes;
  }
  const { gunzipSync, inflateRawSync, inflateSync } = await import('node:zlib');
  const bound = { maxOutputLength: limits.bodyBytes };
  return steps.reduceRight<Buffer>((packed, step) => {
    if (step === 'gunzip') {
      return gunzipSync(packed, bound);
    }
    // Some servers omit the zlib header (RFC 9110, section 8.4.1.2, note).
    return hasZlibHeader(packed) ? inflateSync(packed, bound) : inflateRawSync(packed, bound);
  }, bytes);
}

/** RFC 1950, section 2.2: method 8, and a check that makes both bytes a multiple of 31. */
function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/**
 * Decodes a page as browsers do (HTML, "determining the character encoding"): by byte order mark, header, `<meta>`
 * within the first 1024 bytes, or as UTF-8.
 */
export function decodeText(bytes: Buffer, contentType: string | undefined): string {
  const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? new TextDecoder() : undefined;
  const decoder = mark ?? createDecoder(findCharset(contentType)) ?? createDecoder(findMetaCharset(bytes));
  // Without any, UTF-8 decodes ASCII correctly, and the values are ASCII.
  return (decoder ?? new TextDecoder()).decode(bytes);
}

function findCharset(text: string | undefined): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(text ?? '')?.[1];
}

/** Undefined without a name, or for an unknown one. */
function createDecoder(charset: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

const metaBytes = 1024;

function findMetaCharset(bytes: Buffer): string | undefined {
  for (const token of parseTokens(bytes.toString('latin1', 0, metaBytes))) {
    const charset = findTokenCharset(token);
    if (charset !== undefined) {
      // The page was parsed byte by byte, so it is not UTF-16.
      return /^utf-?16/i.test(charset) ? 'utf-8' : charset;
    }
  }
  return undefined;
}

/** `<meta charset="…">`, or `<meta http-equiv="content-type" content="…; charset=…">`. */
function findTokenCharset(token: Token): string | undefined {
  if (token.kind !== 'open' || token.name !== 'meta') {
    return undefined;
  }
  const { attributes } = token;
  const isContentType = attributes.get('http-equiv')?.trim().toLowerCase() === 'content-type';
  return attributes.get('charset')?.trim() || (isContentType ? findCharset(attributes.get('content')) : undefined);
}
