// What this process holds open: sockets, servers, threads, timers, child processes and files, and who opened each.
import { createHook } from 'node:async_hooks';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { openFilesBelow } from './open-files.ts';
import { root } from './program.ts';

export interface OpenResource {
  /** Equal for the same resource each time it is listed. */
  readonly key: string;
  readonly name: string;
  /** The places in this repository that led to it, the nearest first; empty when none did. */
  readonly openedBy: readonly string[];
}

/** Async resources of Node that are listed, and what they are called. */
const kinds: Readonly<Record<string, string>> = {
  TCPSERVERWRAP: 'server',
  PIPESERVERWRAP: 'server',
  TCPWRAP: 'socket',
  TCPSOCKETWRAP: 'socket',
  PIPEWRAP: 'pipe',
  UDPWRAP: 'UDP socket',
  PROCESSWRAP: 'child process',
  FSEVENTWRAP: 'file watcher',
  STATWATCHER: 'file watcher',
  SIGNALWRAP: 'signal listener',
  Timeout: 'timer',
  WORKER: 'worker thread',
};

interface Handle {
  getsockname?(into: object): number;
  getpeername?(into: object): number;
  hasRef?(): boolean;
  pid?: number;
  _idleTimeout?: number;
  threadId?: number;
}

interface Seen {
  readonly type: string;
  readonly handle: Handle;
  readonly opened: Error;
}

/** Temporary files of this process, and of the programs it starts, lie here meanwhile, apart from those of others. */
let folder = '';
let usualFolder: string | undefined;

const seen = new Map<number, Seen>();
/** Those that were started; the handle of one stays after its end. */
const threads = new Set<Worker>();
const hook = createHook({
  init(id, type, _trigger, handle) {
    if (Object.hasOwn(kinds, type)) {
      seen.set(id, { type, handle, opened: here() });
    }
  },
  destroy: (id) => void seen.delete(id),
  // Costs more than all tests together, and promises hold nothing open.
  trackPromises: false,
});

const onThread = (thread: Worker) => void threads.add(thread);

/** Begins to note what is opened; of handles and threads, what is open already is not listed. */
export function noteOpened(): void {
  usualFolder = process.env.TMPDIR;
  folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-tests-'));
  process.env.TMPDIR = folder;
  // Node opens these when they are first used, and a thread uses them: they are of the process, not of a lab.
  void [process.stdout, process.stderr];
  hook.enable();
  process.on('worker', onThread);
}

/** Ends that; what is left in the temporary folder goes with it. */
export function forgetOpened(): void {
  hook.disable();
  process.off('worker', onThread);
  seen.clear();
  threads.clear();
  if (usualFolder === undefined) {
    delete process.env.TMPDIR;
  } else {
    process.env.TMPDIR = usualFolder;
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Handles, threads and timers opened since `noteOpened`, and the temporary files. */
export function openResources(): { settling: OpenResource[]; timers: OpenResource[] } {
  const running = new Set([...threads].map(({ threadId }) => threadId));
  const open = [...seen].map(([id, one]) => ({ id, ...one }));
  const timers = open.filter(({ type, handle }) => type === 'Timeout' && handle.hasRef?.() === true);
  const handles = open.filter(({ type, handle }) => {
    if (type === 'WORKER') {
      return running.has(handle.threadId ?? -1);
    }
    // A socket that was never connected holds nothing.
    return type !== 'Timeout' && !(kinds[type] === 'socket' && findAddress(handle, 'getsockname') === 'nowhere');
  });
  return {
    settling: [...handles.map(described), ...files()],
    timers: timers.filter(({ opened }) => !isOfRunner(opened.stack ?? '')).map(described),
  };
}

/** Whether the test runner did it by itself: a stack of a test has places of this repository too. */
function isOfRunner(stack: string): boolean {
  return /node_modules\/(@?vitest|tinypool|birpc)/.test(stack) && placesIn(stack).length === 0;
}

function described({ id, type, handle, opened }: Seen & { id: number }): OpenResource {
  const about = {
    socket: () => `${findAddress(handle, 'getsockname')} to ${findAddress(handle, 'getpeername')}`,
    server: () => findAddress(handle, 'getsockname'),
    'UDP socket': () => findAddress(handle, 'getsockname'),
    'child process': () => String(handle.pid),
    'worker thread': () => String(handle.threadId),
    timer: () => `of ${handle._idleTimeout} ms`,
  };
  const kind = kinds[type] ?? type;
  const more = Object.hasOwn(about, kind) ? ` ${about[kind as keyof typeof about]()}` : '';
  return { key: `handle ${id}`, name: kind + more, openedBy: placesIn(opened.stack ?? '') };
}

function findAddress(handle: Handle, which: 'getsockname' | 'getpeername'): string {
  const found: { address?: string; port?: number } = {};
  handle[which]?.(found);
  return found.address === undefined ? 'nowhere' : `${found.address}:${found.port}`;
}

function here(): Error {
  const kept = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const error = new Error('opened');
  Error.stackTraceLimit = kept;
  return error;
}

/** Places of a stack that lie in this repository, one of each file and at most three; pure. */
export function placesIn(stack: string): string[] {
  const places = stack
    .split('\n')
    .filter((line) => line.includes(root) && !line.includes('node_modules') && !line.includes('open-resources.ts'))
    .map((line) => /([^/(\s]+(?:\/[^/:]+)*:\d+):\d+\)?$/.exec(line.replace(`${root}/`, ''))?.[1] ?? line.trim());
  const files = places.map((place) => place.split(':')[0]);
  return places.filter((_, index) => files.indexOf(files[index]) === index).slice(0, 3);
}

function files(): OpenResource[] {
  // The folder of upsget's lock stays, so that the next run finds the same one.
  const names = readdirSync(folder).filter((name) => !/^upsget-\d+$/.test(name));
  const inFolder = names.map((name) => ({
    ...{ key: `file ${name}`, name: `file ${path.join(folder, name)}`, openedBy: [] },
  }));
  const open = openFilesBelow(folder).map(({ handle, file }) => ({
    ...{ key: `open ${handle} ${file}`, name: `open file ${file}`, openedBy: [] },
  }));
  return [...inFolder, ...open];
}
