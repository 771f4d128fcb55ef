// Waiting until a program of the system takes connections, where it does not say so itself.
import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from './eventually.ts';

/** Resolves once `port` of loopback takes a connection. */
export async function untilOpen(port: number): Promise<void> {
  await eventually(
    () => isOpen(port),
    (open) => open || undefined,
  );
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return open;
}
