// Sends one query to one name server over UDP and counts the records of the answer, with dns-packet. Node's resolver
// does not query HTTPS records (RFC 9460) and uses whichever server answers first.
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { type DecodedPacket, decode, encode, type Packet, RECURSION_DESIRED } from 'dns-packet';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';

/** Types that lead a client to an address; dns-packet knows HTTPS (RFC 9460) only by number. */
export const recordTypes = { A: 'A', CNAME: 'CNAME', AAAA: 'AAAA', HTTPS: 'UNKNOWN_65' as 'A' } as const;

export type RecordType = keyof typeof recordTypes;

export interface NameServerAddress {
  address: string;
  port: number;
}

/** Parses name servers as `address`, `address:port` or `[address]:port`, separated by commas; null for other text. */
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
 * Counts the records of the answer section. Resolves to 0 when the name or record does not exist, and to null without a
 * usable answer: a failure, a refusal, a truncated answer, a timeout.
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
  const query: Packet = {
    type: 'query',
    id: randomInt(0x10000),
    flags: RECURSION_DESIRED,
    questions: [{ name, type: recordTypes[type], class: 'IN' }],
  };
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

/** The first message that answers the query. A connected socket receives datagrams from that server only. */
async function exchange(socket: Socket, server: NameServerAddress, query: Packet, stop: AbortSignal) {
  socket.connect(server.port, server.address);
  await once(socket, 'connect', { signal: stop });
  socket.send(encode(query));
  for (;;) {
    const [message] = (await once(socket, 'message', { signal: stop })) as [Buffer];
    const decoded = decodePacket(message);
    if (decoded !== null && isAnswerTo(decoded, query)) {
      return countAnswers(decoded);
    }
  }
}

/** Returns null when the datagram is no DNS message. */
function decodePacket(message: Buffer): DecodedPacket | null {
  try {
    return decode(message);
  } catch {
    return null;
  }
}

/** Whether the message is a response with the same id and question (case-insensitive). */
function isAnswerTo(message: DecodedPacket, query: Packet): boolean {
  const asked = ({ questions = [] }: Packet) =>
    questions.map(({ name, type }) => `${name} ${type}`.toLowerCase()).join();
  return message.id === query.id && message.type === 'response' && asked(message) === asked(query);
}

/** Counts records for any response code: NXDOMAIN may carry an alias to a name that does not exist. */
function countAnswers({ answers = [], flags = 0, flag_tc: isTruncated }: DecodedPacket): number | null {
  // The lowest four bits are the response code: no error, or no such name.
  const isClear = [0, 3].includes(flags & 0x000f) && !isTruncated;
  return answers.length > 0 ? answers.length : isClear ? 0 : null;
}
