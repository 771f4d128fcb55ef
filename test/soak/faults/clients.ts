// What clients of the hub do to it: they leave, they stop reading, their connections break before the answer.
import { once } from 'node:events';
import { connect } from 'node:net';
import { sendAndReset } from '../../support/leaving-clients.ts';
import type { PlannedFault } from '../plan.ts';
import type { World } from '../world/world.ts';

const leaving = 40;
const slow = 8;

export const clientFaults = {
  async 'leaving-clients'({ hub }: World, { number }: PlannedFault) {
    if (hub.absence() === null) {
      const message = { ip: `10.99.1.${1 + (number % 200)}`, note: `of a client that leaves ${number}` };
      const url = new URL('/api/notes', hub.url);
      const headers = { 'x-admin-token': hub.adminToken };
      // Where the hub is killed meanwhile there is nobody to leave.
      await sendAndReset({ url, headers, message, count: leaving }, 20).catch(requireRefused);
    }
    return async () => undefined;
  },
  async 'slow-readers'({ hub }: World, _: PlannedFault) {
    const paths = ['/api/events', '/api/connections?limit=1000'];
    const sockets = Array.from({ length: slow }, (_unused, index) => {
      const socket = connect(Number(hub.url.port), hub.url.hostname);
      socket.on('error', () => undefined).pause();
      const path = paths[index % paths.length];
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hub.url.host}\r\nx-admin-token: ${hub.adminToken}\r\n\r\n`);
      return socket;
    });
    return async () => {
      for (const socket of sockets.filter(({ destroyed }) => !destroyed)) {
        const closed = once(socket, 'close');
        socket.resetAndDestroy();
        await closed;
      }
    };
  },
  async 'agents-lose-answers'({ agents }: World, _: PlannedFault) {
    await agents.control('POST', '/faults', { fault: 'loses-ack' });
    return async () => {
      await agents.control('DELETE', '/faults');
    };
  },
} as const;

function requireRefused(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ECONNREFUSED' && code !== 'ECONNRESET') {
    throw error;
  }
}
