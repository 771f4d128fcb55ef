// How many events the kernel dropped: a count that cannot be read is unknown. The instance is a folder of ordinary files.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startConnectEvents } from '#agent/sources/connect-events.ts';
import { Ledger } from '#agent/sources/ledger.ts';
import { createProcesses } from '#agent/sources/processes.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const event = 'events/sock/inet_sock_set_state';
const unknown = /^How many events the kernel dropped is not known: .*per_cpu\/\*\/stats/;

/** An instance as root prepares it, on a machine with these processors. */
function prepareInstance(folder: string, stats: readonly string[]): string {
  const instance = path.join(folder, 'instances/gatehouse-agent');
  for (const made of [path.join(folder, event), path.join(instance, event), path.join(folder, 'self/ns')]) {
    mkdirSync(made, { recursive: true });
  }
  symlinkSync('pid:[4026531836]', path.join(folder, 'self/ns/pid'));
  spawnSync('mkfifo', [path.join(instance, 'trace_pipe')]);
  for (const [index, text] of stats.entries()) {
    mkdirSync(path.join(instance, `per_cpu/cpu${index}`), { recursive: true });
    writeFileSync(path.join(instance, `per_cpu/cpu${index}/stats`), text);
  }
  return instance;
}

const stats = (overrun: number, dropped: number) =>
  `entries: 4\noverrun: ${overrun}\ncommit overrun: 0\nbytes: 96\ndropped events: ${dropped}\nread events: 7\n`;

async function withEvents(
  texts: readonly string[],
  look: (events: Awaited<ReturnType<typeof startConnectEvents>>, instance: string) => void,
): Promise<void> {
  using folder = temporaryFolder();
  const instance = prepareInstance(folder.path, texts);
  // A pipe of the file system makes a reader wait for a writer.
  const writer = openSync(path.join(instance, 'trace_pipe'), 'r+');
  const ledger = new Ledger({
    clock: systemClock,
    includeLoopback: false,
    isOutbound: () => true,
    settleMs: () => 0,
  });
  const shared = { clock: systemClock, ledger, processes: createProcesses(folder.path), includeLoopback: false };
  {
    await using events = await startConnectEvents({ ...shared, procDir: folder.path, tracefsDir: folder.path });
    expect(events.state()).toMatchObject({ active: true, reason: null });
    look(events, instance);
  }
  closeSync(writer);
}

test('the counts of all processors are added', async () => {
  await withEvents([stats(3, 1), stats(0, 5)], (events) => {
    expect(events.loss()).toEqual({ lostEvents: 9, isLossKnown: true });
    expect(events.state().cannotSee).not.toContainEqual(expect.stringMatching(unknown));
  });
});

test('a count that cannot be read, or is not there, makes the loss unknown and the source says so', async () => {
  const without = [
    (instance: string) => rmSync(path.join(instance, 'per_cpu/cpu1/stats')),
    (instance: string) => writeFileSync(path.join(instance, 'per_cpu/cpu1/stats'), 'entries: 4\noverrun: 0\n'),
    (instance: string) => rmSync(path.join(instance, 'per_cpu'), { recursive: true }),
  ];
  for (const remove of without) {
    await withEvents([stats(3, 1), stats(0, 5)], (events, instance) => {
      remove(instance);
      expect(events.loss()).toEqual({ lostEvents: 0, isLossKnown: false });
      expect(events.state().cannotSee).toContainEqual(expect.stringMatching(unknown));
    });
  }
});
