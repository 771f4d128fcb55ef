// The real MQTT broker of the system, on a free port of loopback, with one user.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { eventually } from './eventually.ts';
import { startProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Mosquitto extends AsyncDisposable {
  port: number;
}

export async function startMosquitto(user: string, password: string): Promise<Mosquitto> {
  const folder = temporaryFolder();
  const passwords = path.join(folder.path, 'passwords');
  const config = path.join(folder.path, 'mosquitto.conf');
  const { status } = spawnSync('mosquitto_passwd', ['-b', '-c', passwords, user, password]);
  if (status !== 0) {
    throw new Error(`mosquitto_passwd ended with ${status}`);
  }
  const port = await freePort();
  const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous false', `password_file ${passwords}`, 'user root'];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const program = startProgram(['-c', config], { command: 'mosquitto' });
  await eventually(
    () => isOpen(port),
    (open) => (open ? true : undefined),
  );
  return {
    port,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
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
