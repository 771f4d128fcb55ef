// Reads a line of `conntrack -E -o timestamp,id`: a UDP flow that began or ended.
import { canonicalIp } from '#kernel/net/address.ts';
import { parsePort, type Tuple } from './connection.ts';

export interface FlowEvent extends Tuple {
  kind: 'new' | 'destroy';
  /** Epoch milliseconds. */
  at: number;
  id: string;
  /** Payload; null when the kernel does not count (`nf_conntrack_acct`), and while the flow lives. */
  bytesIn: bigint | null;
  bytesOut: bigint | null;
}

const event = /^\[(\d{1,12})\.(\d{3})\d*\]\s+\[(NEW|DESTROY)\]\s+udp\s+17\s(.*)$/;

/** Null for a line of another kind, and for one that is not understood. */
export function parseConntrackLine(line: string): FlowEvent | null {
  const found = event.exec(line);
  if (found === null) {
    return null;
  }
  const [, seconds, millis, kind, text = ''] = found;
  const all = (name: string) =>
    [...text.matchAll(new RegExp(`(?:^|\\s)${name}=(\\S+)`, 'g'))].map(([, value = '']) => value);
  const localAddress = canonicalIp(all('src')[0] ?? '');
  const remoteAddress = canonicalIp(all('dst')[0] ?? '');
  const localPort = parsePort(all('sport')[0]);
  const remotePort = parsePort(all('dport')[0]);
  const [id] = all('id');
  if (!localAddress || !remoteAddress || !localPort || !remotePort || id === undefined) {
    return null;
  }
  const headers = remoteAddress.includes(':') ? 48n : 28n;
  const packets = all('packets');
  const [bytesOut = null, bytesIn = null] = all('bytes').map((bytes, index) =>
    toPayload(bytes, packets[index] ?? '', headers),
  );
  return {
    networkProtocol: 'udp',
    localAddress,
    localPort,
    remoteAddress,
    remotePort,
    id,
    bytesIn,
    bytesOut,
    kind: kind === 'NEW' ? 'new' : 'destroy',
    at: Number(seconds) * 1000 + Number(millis),
  };
}

/** The kernel counts the headers of IP and UDP too. */
function toPayload(bytes: string, packets: string, headers: bigint): bigint | null {
  if (!/^\d{1,20}$/.test(bytes) || !/^\d{1,20}$/.test(packets)) {
    return null;
  }
  const payload = BigInt(bytes) - BigInt(packets) * headers;
  return payload > 0n ? payload : 0n;
}
