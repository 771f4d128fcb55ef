// The real MQTT broker of the system, on a free port of loopback, with one user.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '#kernel/http/listening.ts';
import { untilOpen } from './open-port.ts';
import { startProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Mosquitto extends AsyncDisposable {
  port: number;
}

/** `own`: the port of a broker that was stopped; a free one when absent. */
export async function startMosquitto(user: string, password: string, own?: number): Promise<Mosquitto> {
  const folder = temporaryFolder();
  const passwords = path.join(folder.path, 'passwords');
  const config = path.join(folder.path, 'mosquitto.conf');
  const { status } = spawnSync('mosquitto_passwd', ['-b', '-c', passwords, user, password]);
  if (status !== 0) {
    throw new Error(`mosquitto_passwd ended with ${status}`);
  }
  const port = own ?? (await freePort());
  const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous false', `password_file ${passwords}`, 'user root'];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const program = startProgram(['-c', config], { command: 'mosquitto' });
  await untilOpen(port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
