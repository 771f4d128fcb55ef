// The text of a page from the bytes of its answer: content codings undone, characters as header or page say.
import { Failure } from './failure.ts';
import { limits } from './limits.ts';
import { type Token, tokensOf } from './tokens.ts';

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
 * The bytes without the codings of Content-Encoding (RFC 9110, section 8.4), the last one first. We ask for no compression;
 * a proxy in between may do it all the same. Throws a Failure that names codings we do not read, and what zlib throws.
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
    // Some servers leave out the header of zlib (RFC 9110, section 8.4.1.2, note).
    return hasZlibHeader(packed) ? inflateSync(packed, bound) : inflateRawSync(packed, bound);
  }, bytes);
}

/** RFC 1950, section 2.2: method 8, and a check that makes both bytes a multiple of 31. */
function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/**
 * The characters of a page as browsers find them (HTML, "determining the character encoding"): a byte order mark, then the
 * header, then `<meta>` among the first 1024 bytes, else UTF-8.
 */
export function textOf(bytes: Buffer, contentType: string | undefined): string {
  const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? new TextDecoder() : undefined;
  const decoder = mark ?? decoderOf(charsetIn(contentType)) ?? decoderOf(charsetOfMeta(bytes));
  // Without any: what the page holds of ASCII is right in UTF-8 too, and that is all our values are.
  return (decoder ?? new TextDecoder()).decode(bytes);
}

function charsetIn(text: string | undefined): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(text ?? '')?.[1];
}

/** Undefined for no name, and for one that nobody knows. */
function decoderOf(charset: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

const metaBytes = 1024;

function charsetOfMeta(bytes: Buffer): string | undefined {
  for (const token of tokensOf(bytes.toString('latin1', 0, metaBytes))) {
    const charset = charsetOfToken(token);
    if (charset !== undefined) {
      // It was read byte by byte, so it cannot be in units of two.
      return /^utf-?16/i.test(charset) ? 'utf-8' : charset;
    }
  }
  return undefined;
}

/** `<meta charset="…">`, or `<meta http-equiv="content-type" content="…; charset=…">`. */
function charsetOfToken(token: Token): string | undefined {
  if (token.kind !== 'open' || token.name !== 'meta') {
    return undefined;
  }
  const { attributes } = token;
  const isContentType = attributes.get('http-equiv')?.trim().toLowerCase() === 'content-type';
  return attributes.get('charset')?.trim() || (isContentType ? charsetIn(attributes.get('content')) : undefined);
}
