// What is given up ends at once, and what is done leaves nothing open; in this process.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startBroker } from '#simulators/mqtt/broker.ts';
import { runCommand } from '#upsget/command.ts';
import { replaceFile } from '#upsget/files.ts';
import { takeLock } from '#upsget/lock.ts';
import { publishWithLibrary } from '#upsget/mqtt-library.ts';
import { eventually } from '../support/eventually.ts';
import { newHome } from '../support/upsget.ts';

const interrupted = new Error('interrupted');

test('a lock that is waited for', async () => {
  const env = { XDG_RUNTIME_DIR: newHome() };
  const { signal } = new AbortController();
  const first = await takeLock('ups.example', 0, env, signal);
  const ending = new AbortController();
  const second = takeLock('ups.example', 600_000, env, ending.signal);
  ending.abort(interrupted);
  await expect(second).rejects.toBe(interrupted);
  first.release();
  (await takeLock('ups.example', 0, env, signal)).release();
});

test('a program that is asked for after the end', async () => {
  const options = { input: '', env: process.env, limitMs: 600_000, signal: AbortSignal.abort(interrupted) };
  await expect(runCommand('sleep', ['600'], options)).rejects.toBe(interrupted);
});

test('a connection to a broker that acknowledges nothing', async () => {
  await using broker = await startBroker();
  broker.control.fail('no-ack');
  const ending = new AbortController();
  const options = {
    broker: '127.0.0.1',
    port: Number(broker.url.port),
    tls: false,
    caFile: null,
    user: null,
    password: null,
    topic: 'upsget/ups',
    qos: 1 as const,
    retain: false,
    discovery: false,
  };
  const sent = publishWithLibrary([{ topic: 'upsget/ups', payload: '{}', retain: false }], options, ending.signal);
  const isOpen = (expected: boolean) =>
    eventually(
      async () => broker.control.state() as { connections: number },
      ({ connections }) => (Number(connections) > 0 === expected ? true : undefined),
    );
  await isOpen(true);
  ending.abort(interrupted);
  await expect(sent).rejects.toBe(interrupted);
  await isOpen(false);
});

test.runIf(process.platform === 'linux')('files that were replaced are closed', () => {
  const file = path.join(newHome(), 'state');
  replaceFile(file, 'first', 0o600);
  const openFiles = readdirSync('/proc/self/fd').length;
  for (let round = 0; round < 50; round += 1) {
    replaceFile(file, `round ${round}`, 0o600);
  }
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(openFiles + 25);
});
