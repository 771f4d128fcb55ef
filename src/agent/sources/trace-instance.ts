// A private instance of the kernel's tracing: a buffer of its own, so that nobody else's tracing is disturbed.
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs';
import { type Clock, systemClock } from '#kernel/clock.ts';
import { messageOf } from '#kernel/errors.ts';

export interface TraceInstance extends AsyncDisposable {
  /** What a reader blocks on. */
  readonly pipe: string;
  /** Events that the kernel had to drop since the start. */
  lost(): number;
}

export interface TraceOptions {
  tracefsDir: string;
  procDir: string;
  clock?: Clock;
}

const event = 'events/sock/inet_sock_set_state';
/** SYN_SENT begins, what follows it has the local port, CLOSE ends; protocol 6 is TCP. */
const filter = 'protocol==6 && (newstate==2 || oldstate==2 || newstate==7)';
const ours = /^gatehouse-agent-(\d+)-\d+$/;
/** The namespace of process ids that the machine starts with (PROC_PID_INIT_INO). */
const firstNamespace = 'pid:[4026531836]';
let number = 0;

/** The instance, or one sentence that says why there is none and what to do. */
export function openTraceInstance({ tracefsDir, procDir, clock = systemClock }: TraceOptions): TraceInstance | string {
  const problem = obstacle(tracefsDir, procDir);
  if (problem !== null) {
    return problem;
  }
  number += 1;
  const folder = `${tracefsDir}/instances/gatehouse-agent-${process.pid}-${number}`;
  try {
    removeStale(tracefsDir);
    mkdirSync(folder);
  } catch (error) {
    return `tracefs cannot be used (${messageOf(error)}): run as root`;
  }
  try {
    const settings = [
      [`${event}/filter`, filter],
      ['trace_clock', 'mono'],
      ['buffer_size_kb', '256'],
      [`${event}/enable`, '1'],
    ] as const;
    for (const [name, value] of settings) {
      writeFileSync(`${folder}/${name}`, value);
    }
  } catch (error) {
    rmdirSync(folder);
    return `the event sock/inet_sock_set_state cannot be switched on (${messageOf(error)}): run as root`;
  }
  return {
    pipe: `${folder}/trace_pipe`,
    lost: () => lostIn(folder),
    async [Symbol.asyncDispose]() {
      writeFileSync(`${folder}/${event}/enable`, '0');
      for (let attempt = 1; ; attempt += 1) {
        try {
          rmdirSync(folder);
          return;
        } catch (error) {
          // A reader that has just ended may not have let go yet.
          if (attempt >= 100) {
            throw error;
          }
          await clock.sleep(20);
        }
      }
    },
  };
}

function obstacle(tracefsDir: string, procDir: string): string | null {
  if (!existsSync(`${tracefsDir}/instances`)) {
    return `tracefs is not mounted at ${tracefsDir}, or this user must not see it: as root run "mount -t tracefs tracefs ${tracefsDir}"`;
  }
  if (!existsSync(`${tracefsDir}/${event}`)) {
    return 'the kernel has no event sock/inet_sock_set_state, or this user must not see it: it needs Linux 4.16 and root';
  }
  return namespaceOf(procDir) === firstNamespace
    ? null
    : 'the events name processes of the whole machine, which cannot be resolved in a container: run the Agent outside of it, or with the PID namespace of the host';
}

function namespaceOf(procDir: string): string {
  try {
    return readlinkSync(`${procDir}/self/ns/pid`);
  } catch {
    return '';
  }
}

/** Instances of processes that were killed. One whose reader has not ended yet is left to the next start. */
function removeStale(tracefsDir: string): void {
  for (const name of readdirSync(`${tracefsDir}/instances`)) {
    const owner = ours.exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) {
      try {
        rmdirSync(`${tracefsDir}/instances/${name}`);
      } catch {}
    }
  }
}

function lostIn(folder: string): number {
  try {
    const texts = readdirSync(`${folder}/per_cpu`).map((cpu) => readFileSync(`${folder}/per_cpu/${cpu}/stats`, 'utf8'));
    const counts = texts.flatMap((text) => [...text.matchAll(/^(?:overrun|dropped events): (\d+)$/gm)]);
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  } catch {
    return 0;
  }
}
