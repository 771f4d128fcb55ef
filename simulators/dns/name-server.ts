// A name server on UDP: it knows the names it is told, and no others. RFC 1035; messages through dns-packet.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, type DecodedPacket, decode, encode, type RecordType } from 'dns-packet';
import { z } from 'zod';
import { parseChange } from '../support/change.ts';
import { toRunning } from '../support/running.ts';
import type { Control, Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import { type DnsFault, dnsFaults } from './faults.ts';

/**
 * Records by lower-case name without a dot at its end; `PTR` names look like `4.3.2.1.in-addr.arpa`. `HTTPS` records name
 * their target, at priority 1 and without parameters (RFC 9460).
 */
export type Zone = Readonly<Record<string, { [Type in (typeof recordTypes)[number]]?: string[] }>>;

export interface NameServerOptions extends Omit<SimulatorOptions, 'allowNonLoopback'> {
  zone?: Zone;
}

export interface DnsControl extends Control<DnsFault> {
  readonly zone: Zone;
  setZone(zone: Zone): void;
}

export interface NameServer extends DnsControl, Simulator {
  /** As `Resolver.setServers` takes it: address:port. */
  readonly server: string;
}

const recordTypes = ['A', 'AAAA', 'CNAME', 'HTTPS', 'PTR'] as const;
/** How dns-packet calls a type it does not know; 65 is HTTPS (RFC 9460). */
const httpsType = 'UNKNOWN_65';
const zoneSchema = z.record(
  z.string(),
  z.strictObject(Object.fromEntries(recordTypes.map((type) => [type, z.array(z.string()).optional()]))),
);
const patchSchema = z.strictObject({ zone: zoneSchema.optional() });

type Base = SimulatorBase<DnsFault>;

/** Starts a server that answers NXDOMAIN for names it does not know, and nothing for types that a known name lacks. */
export async function startNameServer(options: NameServerOptions = {}): Promise<NameServer> {
  const base: Base = createSimulatorBase(options, { faults: dnsFaults });
  const { host, faults, journal } = base;
  const { zone: first = {} } = options;
  let zone = first;
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (bytes, peer) => {
    const query = decodeQuery(bytes);
    const [question] = query?.questions ?? [];
    if (!query || !question) {
      journal.add('not-understood', { bytes: bytes.length });
      return;
    }
    journal.add('query', { name: question.name, type: question.type });
    void answer(base, query, zone, (reply) => socket.send(reply, peer.port, peer.address));
  });
  socket.bind(base.port, host);
  await once(socket, 'listening');
  const server = `${host.includes(':') ? `[${host}]` : host}:${socket.address().port}`;
  const control: DnsControl = {
    ...base.control,
    get zone() {
      return zone;
    },
    setZone: (next) => {
      zone = next;
    },
    reset() {
      zone = first;
      faults.clear();
      journal.clear();
    },
    state: () => ({ zone, faults: faults.list() }),
    patch(change) {
      zone = (parseChange(patchSchema, change).zone as Zone | undefined) ?? zone;
    },
  };
  return toRunning(control, {
    url: new URL(`dns://${server}`),
    server,
    async [Symbol.asyncDispose]() {
      base.stop();
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  });
}

const recursion = 0x0180;
const truncation = 0x0200;
const codes = { ok: 0, serverFailure: 2, noSuchName: 3, refused: 5 };

async function answer(base: Base, query: DecodedPacket, zone: Zone, send: (bytes: Uint8Array) => void): Promise<void> {
  const { faults, stopped } = base;
  await base.delay(faults.take('slow'), 2000);
  if (stopped.aborted || faults.take('silent')) {
    return;
  }
  if (faults.take('garbage')) {
    send(Buffer.from('no dns message'));
    return;
  }
  const failure = faults.take('server-failure') ? codes.serverFailure : faults.take('refused') ? codes.refused : null;
  const records = failure === null ? findRecords(query, zone) : [];
  const code = failure ?? (records === null ? codes.noSuchName : codes.ok);
  const isTruncated = faults.take('truncated') !== null;
  send(
    encode({
      type: 'response',
      id: faults.take('wrong-id') ? ((query.id ?? 0) + 1) % 65_536 : (query.id ?? 0),
      // The lowest four bits are the response code; dns-packet keeps them.
      flags: recursion | (isTruncated ? truncation : 0) | code,
      questions: query.questions ?? [],
      answers: isTruncated ? [] : (records ?? []),
    }),
  );
}

/** Records of the question; null when the name is not known at all. */
function findRecords({ questions }: DecodedPacket, zone: Zone): Answer[] | null {
  const [question] = questions ?? [];
  const name = question?.name.toLowerCase().replace(/\.$/, '') ?? '';
  const known = Object.hasOwn(zone, name) ? zone[name] : undefined;
  if (!question || !known) {
    return null;
  }
  const asked = (question.type as string) === httpsType ? 'HTTPS' : question.type;
  // An alias answers every question but its own name's (RFC 1034 §3.6.2).
  const type = known.CNAME ? 'CNAME' : recordTypes.find((one) => one === (asked as RecordType));
  return (type ? (known[type] ?? []) : []).map((data) =>
    type === 'HTTPS'
      ? ({ type: httpsType, name: question.name, ttl: 60, data: serviceBinding(data) } as unknown as Answer)
      : ({ type, name: question.name, ttl: 60, data } as Answer),
  );
}

/** Priority 1, the target as labels, no parameters. */
function serviceBinding(target: string): Buffer {
  const labels = target
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([Buffer.from([0, 1]), ...labels, Buffer.from([0])]);
}

function decodeQuery(bytes: Buffer): DecodedPacket | null {
  try {
    return decode(bytes);
  } catch {
    return null;
  }
}
