// What several families ask of what was read.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';

export const toText = (input: Buffer) => input.toString('utf8');

/** Lines as the readers get them: without their ends. */
export const toLines = (input: Buffer) => toText(input).split(/\r?\n/);

/** Lines where longer ones than `most` characters never arrive: they count as several. */
export const boundedLines = (input: Buffer, most: number) =>
  toLines(input).flatMap((line) => line.match(new RegExp(`.{1,${most}}`, 'gs')) ?? ['']);

/** The JSON in `input`; undefined when it is none. */
export function toJson(input: Buffer): unknown {
  try {
    return JSON.parse(toText(input));
  } catch {
    return undefined;
  }
}

/** A sentence about the first address that is not in canonical form. */
export function strangeAddress(addresses: Iterable<string | null | undefined>): string | null {
  for (const address of addresses) {
    if (typeof address === 'string' && canonicalIp(address) !== address) {
      return `the address ${JSON.stringify(address.slice(0, 100))} is not canonical`;
    }
  }
  return null;
}

export function strangeMac(macs: Iterable<string | null | undefined>): string | null {
  for (const mac of macs) {
    if (typeof mac === 'string' && canonicalMac(mac) !== mac) {
      return `the MAC ${JSON.stringify(mac.slice(0, 100))} is not canonical`;
    }
  }
  return null;
}

export function strangePort(ports: Iterable<number | null | undefined>): string | null {
  for (const port of ports) {
    if (typeof port === 'number' && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
      return `the port ${port} is none`;
    }
  }
  return null;
}

/** A sentence when `found` is more than `most`. */
export function tooMany(what: string, found: number, most: number): string | null {
  return found > most ? `${found} ${what} from an input that has room for ${most}` : null;
}

/** The same bytes in pieces, cut where their own content says: any way of cutting must read alike. */
export function toPieces(input: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < input.length; ) {
    const length = 1 + (((input[at] ?? 0) * 7 + input.length + at) % (input.length > 4000 ? 700 : 23));
    pieces.push(input.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

export const same = (one: unknown, other: unknown) => asText(one) === asText(other);

const asText = (value: unknown) => JSON.stringify(value, (_name, one) => (typeof one === 'bigint' ? `${one}n` : one));
