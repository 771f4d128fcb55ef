// Publishes messages with the command-line client when it is installed, otherwise with the client library.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Message } from '#kernel/mqtt/message.ts';
import { runCommand, summarizeOutput } from './command.ts';
import { Failure } from './failure.ts';
import { homeFolder } from './files.ts';
import { formatAuthority } from './host.ts';
import { limits } from './limits.ts';
import type { MqttOptions } from './options.ts';

const client = 'mosquitto_pub';

/** Sends the messages in order. Throws a Failure that says what went wrong. */
export async function publish(
  messages: readonly Message[],
  options: MqttOptions,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  const tried = commandCanCarry(options) && (await publishWithCommand(messages, options, env, signal));
  if (tried) {
    return;
  }
  const { publishWithLibrary } = await import('./mqtt-library.ts');
  if (!(await publishWithLibrary(messages, options, signal))) {
    throw new Failure(
      `MQTT needs ${client} (package mosquitto-clients) or the npm library "mqtt" next to upsget; neither is installed`,
    );
  }
}

/** The option file has lines of 1023 bytes at most, and another location on Windows. */
function commandCanCarry({ user, password }: MqttOptions): boolean {
  const longest = Math.max(Buffer.byteLength(user ?? ''), Buffer.byteLength(password ?? ''));
  return user === null || (longest <= 1000 && process.platform !== 'win32');
}

async function publishWithCommand(
  messages: readonly Message[],
  options: MqttOptions,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<boolean> {
  const folder = options.user === null ? null : createOptionFile(options, env);
  try {
    for (const message of messages) {
      const done = await runCommand(client, toArguments(message, options), {
        input: message.payload,
        env: folder === null ? env : { ...env, XDG_CONFIG_HOME: folder },
        limitMs: limits.mqttSendMs,
        signal,
      });
      if (done === null) {
        return false;
      }
      if (done.code !== 0) {
        throw new Failure(
          `MQTT publish to ${formatAuthority(options.broker, options.port)} failed (${client} exit code ${done.code}): ${explainExit(done.code, done.stderr)}`,
        );
      }
    }
    return true;
  } finally {
    if (folder !== null) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Omits the password and the values, which the process list would show. */
function toArguments({ topic, retain }: Message, options: MqttOptions): string[] {
  const tls = options.caFile === null ? ['--tls-use-os-certs'] : ['--cafile', options.caFile];
  const flags = [...(retain ? ['-r'] : []), ...(options.tls ? tls : [])];
  const server = ['-h', options.broker, '-p', String(options.port)];
  const id = `upsget-${randomUUID().slice(0, 8)}`;
  return [...server, '-t', topic, '-q', String(options.qos), '-s', '-i', id, ...flags];
}

/** Creates a private folder with the client's configuration plus user and password, one option per line. */
function createOptionFile({ user, password }: MqttOptions, env: NodeJS.ProcessEnv): string {
  const own = path.join(env.XDG_CONFIG_HOME || path.join(homeFolder(), '.config'), client);
  const lines = [...readIfThere(own).split('\n'), `-u ${user}`, ...(password === null ? [] : [`-P ${password}`])];
  const text = lines.filter((line) => line !== '').map((line) => `${line}\n`);
  const folder = mkdtempSync(path.join(tmpdir(), 'upsget-'));
  writeFileSync(path.join(folder, client), text.join(''), { mode: 0o600, flag: 'wx' });
  return folder;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The file is optional.
    return '';
  }
}

/** Explains exit codes, otherwise quotes the client's message. */
function explainExit(code: number | null, stderr: string): string {
  switch (code) {
    case 5:
    case 135:
      return 'the broker refused user and password; check --mqtt-user and its password';
    case 14:
      return 'the server there is no MQTT broker; check the port';
    default:
      return `${summarizeOutput(stderr.replace(/^(?:Connection )?error: /gim, ''))}; check address and port of the broker`;
  }
}
