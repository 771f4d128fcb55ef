// Reads a line of `ss -tinOH`: addresses, payload bytes of both directions, and which side opened the connection.
import { canonicalIp } from '#kernel/net/address.ts';
import { parsePort, type Tuple } from './connection.ts';

export interface SocketBytes extends Tuple {
  bytesIn: bigint;
  bytesOut: bigint;
  /** Known from the end of a connection only. */
  openedBy: 'this side' | 'other side' | 'unknown';
}

/** A listening socket, or one that never had a peer. */
export interface WithoutPeer {
  localPort: number;
}

const row = /^\s*[A-Z\d-]+\s+(\d+)\s+\d+\s+(\S+):(\d+|\*)\s+(\S+):(\d+|\*)(?:\s+(.*))?$/;

/** Returns null for a line that is not understood. */
export function parseSsLine(line: string): SocketBytes | WithoutPeer | null {
  const [, unread = '', local = '', localText = '', remote = '', remoteText = '', info = ''] = row.exec(line) ?? [];
  const localPort = parsePort(localText);
  if (localPort === null) {
    return null;
  }
  if (remoteText === '*' || remote === '*') {
    return { localPort };
  }
  const localAddress = parseAddress(local);
  const remoteAddress = parseAddress(remote);
  const remotePort = parsePort(remoteText);
  if (localAddress === null || remoteAddress === null || remotePort === null || remotePort === 0) {
    return null;
  }
  return { networkProtocol: 'tcp', localAddress, localPort, remoteAddress, remotePort, ...parseBytes(info, unread) };
}

/**
 * Fields that are 0 are absent. `bytes_acked` counts SYN and FIN of this side; the SYN of a connection that was accepted
 * is not in it. `bytes_received` counts the FIN of the other side, which is known only while nobody has read it.
 */
function parseBytes(info: string, unread: string): Pick<SocketBytes, 'bytesIn' | 'bytesOut' | 'openedBy'> {
  const field = (name: string) => BigInt(new RegExp(`(?:^|\\s)${name}:(\\d{1,20})(?:\\s|$)`).exec(info)?.[1] ?? 0);
  const sent = field('bytes_sent');
  const acked = field('bytes_acked');
  const received = field('bytes_received');
  const payload = sent > 0n ? sent - field('bytes_retrans') : acked - 2n;
  const bytesOut = payload > 0n ? payload : 0n;
  const countsFin = received > 0n && (unread === '1' || field('data_segs_in') === 0n);
  const signs = acked - bytesOut;
  return {
    bytesOut,
    bytesIn: countsFin ? received - 1n : received,
    openedBy: signs >= 2n ? 'this side' : signs <= 0n && field('segs_in') > 0n ? 'other side' : 'unknown',
  };
}

function parseAddress(text: string): string | null {
  return canonicalIp(text.replace(/^\[|\]$/g, '').replace(/%.*$/, ''));
}
