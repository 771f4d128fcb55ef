// `gatehouse hub` as a real process on a free port: its address, its API, and what the kernel counted for it.
import { readFileSync } from 'node:fs';
import { api } from '#contract/index.ts';
import { type Actors, createActors } from './actors.ts';
import { type Program, type ProgramOptions, startProgram } from './program.ts';
import { startSniffer } from './wire-sniffer.ts';

export interface HubProcessOptions extends Pick<ProgramOptions, 'env'> {
  dataDir: string;
  adminToken: string;
  /** Options for Node itself, such as `--cpu-prof`. */
  nodeOptions?: readonly string[];
  /** What Node runs, from the folder of the repository; the program without its launcher when absent. */
  command?: string;
  /** A free one when absent. */
  port?: number;
  /** A program and its arguments that run Node, such as a tracer. */
  under?: { command: string; args: readonly string[] };
  /** Answers are not compared with their contract, which costs more time than to ask; for benchmarks. */
  isMeasured?: boolean;
}

export interface HubProcess extends AsyncDisposable {
  readonly url: URL;
  readonly program: Program;
  readonly as: Actors;
}

/** Resolves when the hub says that it listens, ready or not. Loopback routers are allowed; limits of requests are out of the way. */
export async function startHubProcess(options: HubProcessOptions): Promise<HubProcess> {
  const args = [
    ...(options.under?.args ?? []),
    ...(options.nodeOptions ?? []),
    options.command ?? 'src/main.ts',
    'hub',
    '--port',
    String(options.port ?? 0),
    '--data',
    options.dataDir,
  ];
  const program = startProgram(args, {
    ...(options.under ? { command: options.under.command } : {}),
    env: {
      MONITOR_INITIAL_ADMIN_TOKEN: options.adminToken,
      MONITOR_ALLOW_LOOPBACK_ROUTERS: 'true',
      MONITOR_RATE_LIMIT_READS: '100000',
      MONITOR_RATE_LIMIT_WRITES: '10000',
      POLL_INTERVAL_MS: '10000',
      LOG_LEVEL: 'warn',
      // Nobody listens there: threat feeds are not fetched from their publishers.
      MONITOR_THREAT_MIRROR: 'http://127.0.0.1:9/',
      ...options.env,
    },
  });
  try {
    const [, origin = ''] = await program.printed(/^gatehouse hub (?:ready|listening, not ready:) (\S+)$/m);
    const url = new URL(origin);
    const wire = options.isMeasured ? null : startSniffer();
    wire?.hub(url);
    return {
      url,
      program,
      as: createActors(api, url, options.adminToken),
      async [Symbol.asyncDispose]() {
        await program[Symbol.asyncDispose]();
        wire?.[Symbol.dispose]();
      },
    };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}

/** User and system time of a process so far, in milliseconds; Linux counts it in steps of 10 ms. */
export function cpuMs(pid: number, of: 'itself' | 'itself and ended children' = 'itself'): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // utime, stime, cutime and cstime of proc_pid_stat(5), in ticks of 10 ms; the third field is the first one here.
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, of === 'itself' ? 13 : 15);
  return ticks.reduce((sum, each) => sum + Number(each), 0) * 10;
}

/** Resident memory of a process in MiB: now, and at most so far. */
export function memoryMb(pid: number): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { rss: of('VmRSS'), peak: of('VmHWM') };
}

/** How long the main thread of a process has run, and been ready to run without a core, in milliseconds. */
export function mainThreadMs(pid: number): { ran: number; waited: number } {
  const [ranNs = '0', waitedNs = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return { ran: Number(ranNs) / 1e6, waited: Number(waitedNs) / 1e6 };
}
