// Checks whether a program accepts TCP connections at an address, without sending anything.
import { connect } from 'node:net';
import { messageOf } from '../errors.ts';
import { type Clock, withDeadline } from '../time/clock.ts';

/** Rejects with a sentence when nothing accepts the connection in time. */
export async function connectTo(clock: Clock, host: string, port: number, timeoutMs: number): Promise<void> {
  const late = () => new Error(`${host}:${port} does not accept a connection within ${timeoutMs / 1000} seconds`);
  await withDeadline(clock, timeoutMs, late, undefined, async (signal) => {
    const socket = connect({ host, port, signal });
    try {
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    } catch (error) {
      throw new Error(`${host}:${port} does not accept a connection: ${messageOf(error)}`, { cause: error });
    } finally {
      socket.destroy();
    }
  });
}
