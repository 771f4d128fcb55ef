// Finds the process that holds a socket, and its name. Reads /proc and caches the facts of living processes.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { unknownProcess } from './connection.ts';
import { shown, toProcessName } from './process-name.ts';

export interface Identity {
  processID: number;
  processName: string;
}

export interface Processes {
  /** The process of a thread. `comm` is the name that is used when nothing better can be read any more. */
  identify(threadId: number, comm: string | null): Identity;
  /** The processes that hold these sockets; those that are not found are absent. */
  findOwners(inodes: ReadonlySet<number>): Promise<Map<number, Identity>>;
  /** Processes whose sockets must not be read, as of the last search that met them. */
  hidden(): number;
  isAlive(processID: number): boolean;
}

/** What is remembered of a thread, valid while `sign` (start and name) is the same: a program that is replaced changes it. */
interface Remembered {
  sign: string;
  comm: string;
  identity: Identity;
}

const maxRemembered = 4096;
const linksInOneGo = 400;
const commandLine = Buffer.alloc(4096);

export function createProcesses(procDir: string): Processes {
  const remembered = new Map<number, Remembered>();
  /** The last owners of sockets, the latest last: a recent owner is likely to connect again. */
  const owners = new Set<number>();
  let hiddenProcesses = 0;

  function identify(threadId: number, comm: string | null): Identity {
    const before = remembered.get(threadId);
    const stat = readStat(procDir, threadId);
    if (stat === null) {
      const isSame = before !== undefined && (comm === null || before.comm === comm);
      return isSame ? before.identity : { processID: threadId, processName: nameOr(comm) };
    }
    if (before?.sign === stat.sign) {
      return before.identity;
    }
    const processID = readProcessId(procDir, threadId);
    const processName = readName(procDir, threadId) ?? nameOr(stat.comm);
    const identity = { processID, processName };
    remembered.delete(threadId);
    remembered.set(threadId, { ...stat, identity });
    for (const oldest of remembered.size > maxRemembered ? remembered.keys().take(1) : []) {
      remembered.delete(oldest);
    }
    return identity;
  }

  async function findOwners(inodes: ReadonlySet<number>): Promise<Map<number, Identity>> {
    const wanted = new Map([...inodes].map((inode) => [`socket:[${inode}]`, inode]));
    const found = new Map<number, Identity>();
    let hidden = 0;
    let links = 0;
    const folders = wanted.size === 0 ? [] : (orNull(() => readdirSync(procDir)) ?? []);
    const all = folders.filter((name) => /^\d+$/.test(name)).map(Number);
    for (const processID of new Set([...[...owners].reverse(), ...all])) {
      const folder = `${procDir}/${processID}/fd`;
      const names = listDescriptors(folder);
      hidden += names === null ? 1 : 0;
      for (const name of names ?? []) {
        const link = readLink(`${folder}/${name}`) ?? '';
        const inode = wanted.get(link);
        if (inode !== undefined) {
          wanted.delete(link);
          found.set(inode, identify(processID, null));
          owners.delete(processID);
          owners.add(processID);
        }
        links += 1;
        if (links % linksInOneGo === 0) {
          await yieldToEventLoop();
        }
      }
      if (wanted.size === 0) {
        return found;
      }
    }
    hiddenProcesses = hidden;
    const living = new Set(all);
    for (const gone of [...owners].filter((processID) => !living.has(processID))) {
      owners.delete(gone);
    }
    return found;
  }

  const isAlive = (processID: number) => readStat(procDir, processID) !== null;
  return { identify, findOwners, hidden: () => hiddenProcesses, isAlive };
}

function nameOr(comm: string | null): string {
  return shown(comm ?? '') ?? unknownProcess.processName;
}

/** Null when the thread has ended. A name in it may hold parentheses; the fields after it do not. */
function readStat(procDir: string, threadId: number): { sign: string; comm: string } | null {
  const text = readText(`${procDir}/${threadId}/stat`);
  if (text === null) {
    return null;
  }
  const end = text.lastIndexOf(')');
  const comm = text.slice(text.indexOf('(') + 1, end);
  const startedAt = text.slice(end + 2).split(' ', 20)[19] ?? '';
  return { comm, sign: `${startedAt} ${comm}` };
}

function readProcessId(procDir: string, threadId: number): number {
  return Number(/^Tgid:\s+(\d+)$/m.exec(readText(`${procDir}/${threadId}/status`) ?? '')?.[1] ?? threadId);
}

function readName(procDir: string, threadId: number): string | null {
  const exe = readLink(`${procDir}/${threadId}/exe`);
  return exe === null ? null : toProcessName(exe, readArguments(`${procDir}/${threadId}/cmdline`));
}

/** The first of them: a command line may be megabytes long. */
function readArguments(file: string): string[] {
  const text = orNull(() => {
    const handle = openSync(file, 'r');
    try {
      return commandLine.toString('utf8', 0, readSync(handle, commandLine));
    } finally {
      closeSync(handle);
    }
  });
  return text === null ? [] : text.split('\0');
}

const readText = (file: string) => orNull(() => readFileSync(file, 'latin1'));
const readLink = (file: string) => orNull(() => readlinkSync(file));

/** What `read` returns; null when that fails: a process may end at any moment. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Null when they must not be read; none when the process has ended. */
function listDescriptors(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? null : [];
  }
}
