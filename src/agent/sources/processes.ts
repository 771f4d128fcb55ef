// Finds the process that holds a socket, and its name. Reads /proc and remembers what it read of each thread.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { unknownProcess } from './connection.ts';
import { shown, toProcessName } from './process-name.ts';

export interface Identity {
  processID: number;
  processName: string;
}

export interface Processes {
  /** Returns the process of a thread. `comm` is the name of the process only when the thread has ended. */
  identify(threadId: number, comm: string | null): Identity;
  /** Returns the process that holds each socket, by its inode. Sockets whose process is not found are absent. */
  findOwners(inodes: ReadonlySet<number>): Promise<Map<number, Identity>>;
  /** Returns how many processes the last search of all processes could not look into, because it lacked permission. */
  hidden(): number;
  isAlive(processID: number): boolean;
}

/** Valid while the thread has this fingerprint. Another program that runs in the same process changes it. */
interface Remembered {
  fingerprint: string;
  comm: string;
  identity: Identity;
}

const maxRemembered = 4096;
const linksInOneGo = 400;
const commandLineBuffer = Buffer.alloc(4096);

export function createProcesses(procDir: string): Processes {
  const remembered = new Map<number, Remembered>();
  /** Ids of processes that held a socket, the latest last. The search begins with them: they often connect again. */
  const owners = new Set<number>();
  let hiddenProcesses = 0;

  function identify(threadId: number, comm: string | null): Identity {
    const before = remembered.get(threadId);
    const stat = readStat(procDir, threadId);
    if (stat === null) {
      const isSame = before !== undefined && (comm === null || before.comm === comm);
      return isSame ? before.identity : { processID: threadId, processName: toNameOrUnknown(comm) };
    }
    if (before?.fingerprint === stat.fingerprint) {
      return before.identity;
    }
    const processID = readProcessId(procDir, threadId);
    const processName = readName(procDir, threadId) ?? toNameOrUnknown(stat.comm);
    const identity = { processID, processName };
    remembered.delete(threadId);
    remembered.set(threadId, { ...stat, identity });
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size > maxRemembered) {
      remembered.delete(oldest);
    }
    return identity;
  }

  async function findOwners(inodes: ReadonlySet<number>): Promise<Map<number, Identity>> {
    const found = new Map<number, Identity>();
    if (inodes.size === 0) {
      return found;
    }
    const wanted = new Map([...inodes].map((inode) => [`socket:[${inode}]`, inode]));
    let hidden = 0;
    let links = 0;
    const folders = orNull(() => readdirSync(procDir)) ?? [];
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
    for (const processID of owners) {
      if (!living.has(processID)) {
        owners.delete(processID);
      }
    }
    return found;
  }

  const isAlive = (processID: number) => readStat(procDir, processID) !== null;
  return { identify, findOwners, hidden: () => hiddenProcesses, isAlive };
}

function toNameOrUnknown(comm: string | null): string {
  return shown(comm ?? '') ?? unknownProcess.processName;
}

/** Returns null when the thread has ended. The name may contain parentheses; the fields after it do not (proc(5)). */
function readStat(procDir: string, threadId: number): { fingerprint: string; comm: string } | null {
  const text = readText(`${procDir}/${threadId}/stat`);
  if (text === null) {
    return null;
  }
  const end = text.lastIndexOf(')');
  const comm = text.slice(text.indexOf('(') + 1, end);
  // Field 22; the text begins with field 3.
  const startTime = text.slice(end + 2).split(' ', 20)[19] ?? '';
  return { comm, fingerprint: `${startTime} ${comm}` };
}

function readProcessId(procDir: string, threadId: number): number {
  return Number(/^Tgid:\s+(\d+)$/m.exec(readText(`${procDir}/${threadId}/status`) ?? '')?.[1] ?? threadId);
}

function readName(procDir: string, threadId: number): string | null {
  const exe = readLink(`${procDir}/${threadId}/exe`);
  return exe === null ? null : toProcessName(exe, readArguments(`${procDir}/${threadId}/cmdline`));
}

/** Returns the arguments in the first 4096 bytes: a command line may be megabytes long. */
function readArguments(file: string): string[] {
  const text = orNull(() => {
    const handle = openSync(file, 'r');
    try {
      return commandLineBuffer.toString('utf8', 0, readSync(handle, commandLineBuffer));
    } finally {
      closeSync(handle);
    }
  });
  return text === null ? [] : text.split('\0');
}

const readText = (file: string) => orNull(() => readFileSync(file, 'latin1'));
const readLink = (file: string) => orNull(() => readlinkSync(file));

/** Returns null when `read` throws: a process may end at any moment. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Returns null when permission is missing; an empty list when the process has ended. */
function listDescriptors(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? null : [];
  }
}
