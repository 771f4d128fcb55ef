// Finds local addresses that reach the endpoint. Two are needed to test whether it distinguishes clients by address.
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { clientKey } from '#kernel/net/address-key.ts';

export interface OwnAddresses {
  /** The one the system chooses. */
  own: string;
  /** Another one, that limits by address must count apart; null when there is none. */
  other: string | null;
}

/** Second address of loopback, where the first one is used; Linux has all of 127.0.0.0/8. */
const loopbackSpare = '127.0.0.2';

/** Connects to `port` of `address` from one address after the other. Rejects when it cannot be reached at all. */
export async function findAddresses(address: string, port: number, timeoutMs: number): Promise<OwnAddresses> {
  const own = await connectFrom({ address, port, timeoutMs });
  const listed = Object.values(networkInterfaces()).flatMap((cards) => (cards ?? []).map((card) => card.address));
  const candidates = [...(own.startsWith('127.') ? [loopbackSpare] : []), ...listed].filter(
    (one) => isIpv6(one) === isIpv6(address) && clientKey(one) !== clientKey(own) && !one.startsWith('fe80:'),
  );
  for (const localAddress of candidates) {
    try {
      return { own, other: await connectFrom({ address, port, timeoutMs: Math.min(timeoutMs, 2000), localAddress }) };
    } catch (error) {
      if ((error as { code?: unknown }).code === undefined) {
        throw error;
      }
    }
  }
  return { own, other: null };
}

interface Reach {
  address: string;
  port: number;
  timeoutMs: number;
  localAddress?: string;
}

/** The address that a connection begins at. Rejects with an error that has a code when there is none. */
function connectFrom({ address, port, timeoutMs, localAddress }: Reach): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, ...(localAddress === undefined ? {} : { localAddress }) });
    socket.setTimeout(timeoutMs, () =>
      socket.destroy(Object.assign(new Error('the connection takes too long'), { code: 'ETIMEDOUT' })),
    );
    socket.once('error', reject);
    socket.once('connect', () => {
      resolve(socket.localAddress ?? '');
      socket.destroy();
    });
  });
}

function isIpv6(address: string): boolean {
  return address.includes(':');
}
