// The connections that this process opens while something runs.
import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Ports of the connections that were opened while `work` ran, each once. */
export async function portsConnectedTo(work: () => Promise<unknown>): Promise<number[]> {
  const ports = new Set<number>();
  await withEachSocket(work, (socket) => {
    socket.once('connect', () => ports.add(socket.remotePort ?? 0));
    socket.once('error', () => ports.add(-1));
  });
  return [...ports];
}

/** How many connections were opened while `work` ran, and how many of them are open when it ends. */
export async function countConnections(work: () => Promise<unknown>): Promise<{ opened: number; left: number }> {
  const sockets: Socket[] = [];
  await withEachSocket(work, (socket) => void sockets.push(socket));
  return { opened: sockets.length, left: sockets.filter(({ destroyed }) => !destroyed).length };
}

async function withEachSocket(work: () => Promise<unknown>, use: (socket: Socket) => void): Promise<void> {
  const note = (message: unknown) => use((message as { socket: Socket }).socket);
  diagnostics.subscribe('net.client.socket', note);
  try {
    await work();
  } finally {
    diagnostics.unsubscribe('net.client.socket', note);
  }
}
