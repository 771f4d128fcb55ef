// Real processes and their sockets: names, owners, and what remains of a process that has ended.

import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createProcesses } from '#agent/sources/processes.ts';
import { startProgram } from '../support/program.ts';
import { makeFolder } from '../support/temporary-folder.ts';

test('this process holds its listening socket', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const links = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return '';
    }
  });
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []).map(Number));
  const owners = await createProcesses('/proc').findOwners(inodes);
  server.close();
  expect(owners.size).toBeGreaterThan(0);
  expect([...owners.values()].map(({ processID }) => processID)).toContain(process.pid);
});

test('an inode that nobody holds is absent, and so is everything in a folder without processes', async () => {
  expect(await createProcesses('/proc').findOwners(new Set([1]))).toEqual(new Map());
  expect(await createProcesses('/nowhere').findOwners(new Set([1]))).toEqual(new Map());
});

test('the script of an interpreter; a process that has ended is remembered', async () => {
  const folder = makeFolder('agent');
  const script = path.join(folder, 'beacon.mjs');
  writeFileSync(script, 'console.log("ready"); setInterval(() => {}, 1000);');
  const processes = createProcesses('/proc');
  const program = startProgram([script, 'secret']);
  const { pid } = program;
  await program.printed(/ready/);
  expect(processes.identify(pid, null)).toEqual({ processID: pid, processName: 'beacon.mjs (node)' });
  expect(processes.isAlive(pid)).toBe(true);
  await program[Symbol.asyncDispose]();
  expect(processes.isAlive(pid)).toBe(false);
  expect(processes.identify(pid, null)).toEqual({ processID: pid, processName: 'beacon.mjs (node)' });
  expect(processes.identify(pid, 'another')).toEqual({ processID: pid, processName: 'another' });
  rmSync(folder, { recursive: true });
});

test('an executable that was deleted; a thread that is gone and nameless', async () => {
  const folder = makeFolder('agent');
  const copy = path.join(folder, 'copied-sleep');
  copyFileSync('/bin/sleep', copy);
  await using program = startProgram(['60'], { command: copy });
  rmSync(folder, { recursive: true });
  const processes = createProcesses('/proc');
  await expect.poll(() => processes.identify(program.pid, null).processName).toBe('copied-sleep');
  expect(processes.identify(2 ** 22 + 1, null)).toEqual({ processID: 2 ** 22 + 1, processName: 'unknown' });
  expect(processes.identify(2 ** 22 + 1, 'a\u0007b')).toMatchObject({ processName: 'a\ufffdb' });
});

test('processes that lacked permission stay counted while no socket needs its process', async () => {
  const folder = makeFolder('agent');
  const descriptors = path.join(folder, '7/fd');
  mkdirSync(descriptors, { recursive: true });
  chmodSync(descriptors, 0);
  const processes = createProcesses(folder);
  await withoutRoot(folder, () => processes.findOwners(new Set([1])));
  expect(processes.hidden()).toBe(1);
  expect(await processes.findOwners(new Set())).toEqual(new Map());
  expect(processes.hidden()).toBe(1);
  chmodSync(descriptors, 0o700);
  rmSync(folder, { recursive: true });
});

/** Runs the part of `work` before its first wait as a user without rights, who owns `folder`. */
function withoutRoot<T>(folder: string, work: () => T): T {
  if (process.getuid?.() !== 0) {
    return work();
  }
  const nobody = 65_534;
  chownSync(folder, nobody, nobody);
  process.seteuid?.(nobody);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}
