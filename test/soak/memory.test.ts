// What a program says of its memory at SIGUSR2: what is held counts, in the main thread, in others and in native code; garbage
// and what was freed do not.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';
import { eventually } from '../support/eventually.ts';
import { root, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { allocator } from './world/allocator.ts';
import { type Memory, parseMemory } from './world/memory.ts';

/** Makes garbage all the time; from SIGUSR1 on each of its two threads holds a million objects, the main thread a buffer too. */
const program = `
const { isMainThread, parentPort, Worker } = require('node:worker_threads');
const hold = () => { globalThis.held = Array.from({ length: 1_000_000 }, (_, id) => ({ id })); };
if (isMainThread) {
  const thread = new Worker(__filename);
  thread.once('message', () => console.log('runs'));
  process.on('SIGUSR1', () => {
    hold();
    globalThis.buffer = Buffer.alloc(40 * 1_048_576, 1);
    thread.once('message', () => console.log('holds'));
    thread.postMessage('hold');
  });
  setInterval(() => { globalThis.garbage = Array.from({ length: 10_000 }, (_, id) => ({ id })); }, 20);
} else {
  parentPort.on('message', () => { hold(); parentPort.postMessage('done'); });
  parentPort.postMessage('ready');
}
`;

/** What the program says before and after it holds more. */
async function reports(): Promise<[Memory, Memory]> {
  await using folder = temporaryFolder();
  const file = path.join(folder.path, 'holder.js');
  writeFileSync(file, program);
  const words = ['--expose-gc', '--import', path.join(root, 'test/support/report-memory.ts'), file];
  await using holder = startProgram(words, { env: allocator().env });
  const report = async () => {
    const from = holder.stderr().length;
    holder.kill('SIGUSR2');
    return eventually(
      async () => holder.stderr().slice(from),
      (text) => parseMemory(text) ?? undefined,
    );
  };
  await holder.printed(/^runs$/m);
  const before = await report();
  holder.kill('SIGUSR1');
  await holder.printed(/^holds$/m);
  return [before, await report()];
}

describe('what a program holds more is what its report says more', () => {
  let [before, after]: Memory[] = [];
  beforeAll(async () => {
    [before, after] = await reports();
  });
  const more = (of: (memory: Memory) => number) =>
    before && after ? of(after) - of(before) : expect.unreachable('no reports');

  test('objects of the main thread and of another one, buffers', () => {
    expect([before?.threads, after?.threads]).toEqual([1, 1]);
    // A million objects and the array of them.
    const objects = more(({ heapUsed }) => heapUsed);
    expect(objects).toBeGreaterThan(20);
    expect(Math.abs(more(({ threadObjects }) => threadObjects) - objects)).toBeLessThan(4);
    expect(Math.abs(more(({ arrayBuffers }) => arrayBuffers) - 40)).toBeLessThan(4);
  });

  test('native code', (context) => {
    if (after?.allocated === null && childEnv().REQUIRE_REAL !== '1') {
      context.skip('no jemalloc 5.3: apt-get install libjemalloc2 (REQUIRE_REAL=1 makes this a failure)');
    }
    expect(Math.abs(more(({ allocated }) => allocated ?? 0) - 40)).toBeLessThan(15);
  });
});
