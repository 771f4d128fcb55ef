// A private instance of the kernel's tracing: a buffer of its own, so that nobody else's tracing is disturbed.
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { endianness } from 'node:os';
import { messageOf } from '#kernel/errors.ts';
import { type Clock, systemClock } from '#kernel/time/clock.ts';

export interface TraceInstance extends AsyncDisposable {
  /** Descriptor of the pipe that a reader blocks on. While it is open the kernel refuses other readers. */
  readonly pipe: number;
  /** Events that the kernel had to drop since the start; null when its counts cannot be read. */
  lost(): number | null;
}

export interface TraceOptions {
  tracefsDir: string;
  procDir: string;
  /** Whether events of connections to 127.0.0.1 are wanted. */
  includeLoopback: boolean;
  clock?: Clock;
}

const event = 'events/sock/inet_sock_set_state';
/** SYN_SENT begins, what follows it has the local port, CLOSE ends; protocol 6 is TCP, a listening socket has no dport. */
const filter = 'protocol==6 && dport!=0 && (newstate==2 || oldstate==2 || newstate==7)';
/** 127.0.0.1 as this processor reads it: most events of a busy machine are between its programs. */
const withoutLoopback = `${filter} && daddr!=${endianness() === 'LE' ? 0x0100007f : 0x7f000001}`;
const ours = /^gatehouse-agent-(\d+)-\d+$/;
/** The namespace of process ids that the machine starts with (PROC_PID_INIT_INO). */
const firstNamespace = 'pid:[4026531836]';
/** Made by root for an Agent that is not root, and given to its user (packaging/gatehouse-agent.service). */
const prepared = 'gatehouse-agent';
let number = 0;

/** The instance, or a sentence with the reason and what to do. */
export function openTraceInstance({
  tracefsDir,
  procDir,
  includeLoopback,
  clock = systemClock,
}: TraceOptions): TraceInstance | string {
  const problem = obstacle(tracefsDir, procDir);
  if (problem !== null) {
    return problem;
  }
  // Two readers of one instance take events from each other. Only an Agent that cannot make its own uses the prepared one.
  const own = newInstance(tracefsDir, includeLoopback, clock);
  return typeof own === 'string' ? (preparedInstance(tracefsDir, includeLoopback) ?? own) : own;
}

/** Null when it is missing or not this user's; a sentence when another reader has it. It outlives the Agent. */
function preparedInstance(tracefsDir: string, includeLoopback: boolean): TraceInstance | string | null {
  const folder = `${tracefsDir}/instances/${prepared}`;
  // The pipe comes first: settings of an instance that another Agent reads must stay as they are.
  const pipe = openPipe(folder);
  if (pipe === 'busy') {
    return `another program reads the events of ${folder} already: run one Agent on this machine, or this one as root, and start it again`;
  }
  if (pipe === null) {
    return null;
  }
  if (switchOn(folder, includeLoopback) !== null) {
    closeSync(pipe);
    return null;
  }
  return holdInstance(folder, pipe, async () => undefined);
}

/** An open instance. Its disposal switches the events off, closes the pipe, and calls `remove`. */
function holdInstance(folder: string, pipe: number, remove: () => Promise<void>): TraceInstance {
  return {
    pipe,
    lost: () => lostIn(folder),
    [Symbol.asyncDispose]() {
      switchOff(folder);
      closeSync(pipe);
      return remove();
    },
  };
}

/** Opens `trace_pipe` of `folder`: `busy` when the kernel refuses a second reader, null when this user can read none there. */
function openPipe(folder: string): number | 'busy' | null {
  try {
    return openSync(`${folder}/trace_pipe`, 'r');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EBUSY' ? 'busy' : null;
  }
}

function newInstance(tracefsDir: string, includeLoopback: boolean, clock: Clock): TraceInstance | string {
  number += 1;
  const folder = `${tracefsDir}/instances/gatehouse-agent-${process.pid}-${number}`;
  try {
    removeStale(tracefsDir);
    mkdirSync(folder);
  } catch (error) {
    return `tracefs cannot be used (${messageOf(error)}): run as root, or as a service whose unit prepares ${prepared}`;
  }
  const problem = switchOn(folder, includeLoopback);
  const pipe = problem === null ? openPipe(folder) : null;
  if (typeof pipe !== 'number') {
    rmdirSync(folder);
    return `the event sock/inet_sock_set_state cannot be switched on (${problem ?? 'its pipe cannot be read'}): run as root`;
  }
  return holdInstance(folder, pipe, () => removeInstanceFolder(folder, clock));
}

async function removeInstanceFolder(folder: string, clock: Clock): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      // The kernel may not have released the previous reader yet.
      if (attempt >= 100) {
        throw error;
      }
      await clock.sleep(20);
    }
  }
}

/** Null on success, else the error text. */
function switchOn(folder: string, includeLoopback: boolean): string | null {
  const settings = [
    [`${event}/filter`, filter],
    ['trace_clock', 'mono'],
    ['buffer_size_kb', '256'],
  ] as const;
  try {
    for (const [name, value] of settings) {
      writeFileSync(`${folder}/${name}`, value);
    }
    if (!includeLoopback) {
      filterLoopback(`${folder}/${event}/filter`);
    }
    writeFileSync(`${folder}/${event}/enable`, '1');
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** A kernel that cannot compare addresses goes on without: the reader drops these events too. */
function filterLoopback(file: string): void {
  try {
    writeFileSync(file, withoutLoopback);
  } catch {
    writeFileSync(file, filter);
  }
}

function switchOff(folder: string): void {
  writeFileSync(`${folder}/${event}/enable`, '0');
}

function obstacle(tracefsDir: string, procDir: string): string | null {
  if (!isVisible(`${tracefsDir}/instances`)) {
    return `tracefs is not mounted at ${tracefsDir}, or this user must not see it: as root run "mount -t tracefs tracefs ${tracefsDir}"`;
  }
  if (!isVisible(`${tracefsDir}/${event}`)) {
    return 'the kernel has no event sock/inet_sock_set_state, or this user must not see it: it needs Linux 4.16 and root';
  }
  return readNamespace(procDir) === firstNamespace
    ? null
    : 'the events name processes of the whole machine, which cannot be resolved in a container: run the Agent outside of it, or with the PID namespace of the host';
}

/** `existsSync` asks access(2), which takes no notice of capabilities. */
function isVisible(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}

function readNamespace(procDir: string): string {
  try {
    return readlinkSync(`${procDir}/self/ns/pid`);
  } catch {
    return '';
  }
}

/** Instances of processes that were killed. One whose reader has not ended yet (EBUSY) is left to the next start. */
function removeStale(tracefsDir: string): void {
  for (const name of readdirSync(`${tracefsDir}/instances`)) {
    const owner = ours.exec(name)?.[1];
    if (owner !== undefined && !isVisible(`/proc/${owner}`)) {
      try {
        rmdirSync(`${tracefsDir}/instances/${name}`);
      } catch (error) {
        if (!['EBUSY', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) {
          throw error;
        }
      }
    }
  }
}

/** Null unless every processor has both of its counts. */
function lostIn(folder: string): number | null {
  try {
    const texts = readdirSync(`${folder}/per_cpu`).map((cpu) => readFileSync(`${folder}/per_cpu/${cpu}/stats`, 'utf8'));
    const counts = texts.flatMap((text) => [...text.matchAll(/^(?:overrun|dropped events): (\d+)$/gm)]);
    const isWhole = texts.length > 0 && counts.length === 2 * texts.length;
    return isWhole ? counts.reduce((sum, [, count]) => sum + Number(count), 0) : null;
  } catch {
    return null;
  }
}
