// One question to one name server over UDP (RFC 1035 §4), and how many records the answer has. Node's own resolver does
// not ask for HTTPS records (RFC 9460), and asks whichever server answers first.
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { type Clock, withDeadline } from '#kernel/clock.ts';

/** Types that can lead a client to an address, by their numbers (RFC 1035, RFC 3596, RFC 9460). */
export const recordTypes = { A: 1, CNAME: 5, AAAA: 28, HTTPS: 65 } as const;

export type RecordType = keyof typeof recordTypes;

export interface NameServerAddress {
  address: string;
  port: number;
}

/** Name servers written as `address`, `address:port` or `[address]:port`, with commas between; null for other text. */
export function parseNameServers(text: string): NameServerAddress[] | null {
  const servers = text.split(',').map((part) => {
    const one = part.trim();
    const match = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(one) ?? /^([0-9.]+)(?::(\d{1,5}))?$/.exec(one);
    const [address, port] = match ? [match[1] ?? '', Number(match[2] ?? 53)] : [one, 53];
    return isIP(address) !== 0 && port >= 1 && port <= 65_535 ? { address, port } : null;
  });
  return servers.every((server) => server !== null) ? servers : null;
}

export interface Question {
  server: NameServerAddress;
  /** A host name of ASCII labels. */
  name: string;
  type: RecordType;
  clock: Clock;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const tries = 2;

/**
 * Records in the answer section; 0 when the server says that there is no such name or record; null when it gives no clear
 * answer: a failure, a refusal, a truncated answer, or none in time.
 */
export async function countRecords(question: Question): Promise<number | null> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const count = await ask(question);
    if (count !== 'silence') {
      return count;
    }
    question.signal?.throwIfAborted();
  }
  return null;
}

class Silence extends Error {}

async function ask({ server, name, type, clock, timeoutMs, signal }: Question): Promise<number | null | 'silence'> {
  const socket = createSocket(server.address.includes(':') ? 'udp6' : 'udp4');
  // An unreachable server is an error of the socket, which rejects what waits for a message.
  socket.on('error', () => undefined);
  const query = encodeQuery(name, recordTypes[type]);
  try {
    return await withDeadline(
      clock,
      timeoutMs,
      () => new Silence(),
      signal,
      (stop) => exchange(socket, server, query, stop),
    );
  } catch (error) {
    if (error instanceof Silence) {
      return 'silence';
    }
    if (signal?.aborted) {
      throw error;
    }
    return null;
  } finally {
    socket.close();
  }
}

/** The first message that answers the query: a connected socket takes datagrams of that server only. */
async function exchange(socket: Socket, server: NameServerAddress, query: Buffer, stop: AbortSignal) {
  socket.connect(server.port, server.address);
  await once(socket, 'connect', { signal: stop });
  socket.send(query);
  for (;;) {
    const [message] = (await once(socket, 'message', { signal: stop })) as [Buffer];
    if (answers(message, query)) {
      return recordsIn(message);
    }
  }
}

const headerBytes = 12;

/** Same id, a response, and the question repeated (letters of either case). */
function answers(message: Buffer, query: Buffer): boolean {
  const question = (bytes: Buffer) => bytes.subarray(headerBytes, query.length).toString('latin1').toLowerCase();
  return (
    message.length >= query.length &&
    message.readUInt16BE(0) === query.readUInt16BE(0) &&
    (message.readUInt16BE(2) & 0x8000) !== 0 &&
    question(message) === question(query)
  );
}

/** Records count whatever the code says: an alias to a name that does not exist comes with "no such name". */
function recordsIn(message: Buffer): number | null {
  const flags = message.readUInt16BE(2);
  const records = message.readUInt16BE(6);
  const isClear = [0, 3].includes(flags & 0x000f) && (flags & 0x0200) === 0;
  return records > 0 ? records : isClear ? 0 : null;
}

function encodeQuery(name: string, type: number): Buffer {
  const labels = name
    .replace(/\.$/, '')
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]));
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(randomInt(0x10000), 0);
  // Recursion desired; one question.
  header.writeUInt16BE(0x0100, 2);
  header.writeUInt16BE(1, 4);
  const tail = Buffer.alloc(5);
  tail.writeUInt16BE(type, 1);
  tail.writeUInt16BE(1, 3);
  return Buffer.concat([header, ...labels, tail]);
}
