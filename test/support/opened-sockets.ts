// The ports that this process connects to while something runs.
import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Ports of the connections that were opened while `work` ran, each once. */
export async function portsConnectedTo(work: () => Promise<unknown>): Promise<number[]> {
  const opened: Socket[] = [];
  const ports = new Set<number>();
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    opened.push(socket);
    socket.once('connect', () => ports.add(socket.remotePort ?? 0));
    socket.once('error', () => ports.add(-1));
  };
  diagnostics.subscribe('net.client.socket', note);
  try {
    await work();
  } finally {
    diagnostics.unsubscribe('net.client.socket', note);
  }
  return [...ports];
}
