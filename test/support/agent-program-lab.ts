// The Agent's program for tests: in a process against a hub of test/support/fake-agent-hub.ts, or in the test's process.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { plainFile } from '#agent/credentials/files.ts';
import { agentFiles } from '#agent/folder.ts';
import { writeRecord } from '#agent/record.ts';
import { type RunningAgent, startAgent } from '#agent/run.ts';
import type { SeenConnection } from '#agent/sources/connection.ts';
import { createLog, type Log } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { AgentHub } from './fake-agent-hub.ts';
import { countingWatch } from './made-up-watch.ts';
import { ManualClock } from './manual-clock.ts';
import { type Program, startProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** No store of the machine that runs the tests is used. */
const bare = { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '', CREDENTIALS_DIRECTORY: '', STATE_DIRECTORY: '' };

export interface AgentFolder extends Disposable {
  readonly path: string;
  readonly files: ReturnType<typeof agentFiles>;
  /** How many connections the program takes each time. */
  seen(perTake: number): void;
  start(args: readonly string[], env?: Record<string, string>): Program;
  run(args: readonly string[], env?: Record<string, string>): Promise<Ended>;
  spooled(): string[];
  parked(): string[];
  json(file: 'record' | 'pending' | 'credential' | 'status'): Record<string, unknown>;
  /** As after an enrolment with `--store file`. */
  enrolled(hub: AgentHub, now?: number): { token: string; agentId: string };
  /** All text in the folder, but the credential and the request that waits. */
  publicText(): string;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export function agentFolder(): AgentFolder {
  const temporary = temporaryFolder();
  const folder = path.join(temporary.path, 'agent');
  const files = agentFiles(folder);
  const seenFile = path.join(temporary.path, 'seen');
  const list = (of: string) => (existsSync(of) ? readdirSync(of).sort() : []);
  const start: AgentFolder['start'] = ([word = '', ...args], env = {}) =>
    startProgram(['test/support/agent-program.ts', word, '--data', folder, ...args], {
      env: { ...bare, AGENT_TEST_SEEN: seenFile, LOG_LEVEL: 'info', ...env },
    });
  return {
    path: folder,
    files,
    seen: (perTake) => writeFileSync(seenFile, String(perTake)),
    start,
    async run(args, env) {
      await using program = start(args, env);
      const { code } = await program.ended;
      return { code, stdout: program.stdout(), stderr: program.stderr() };
    },
    spooled: () => list(files.spool),
    parked: () => list(files.parked),
    json: (file) => JSON.parse(readFileSync(files[file], 'utf8')),
    enrolled(hub, now) {
      const { token, agentId } = hub.issue();
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeRecord(files, recordOf(hub, agentId, now));
      writeFileSync(files.credential, JSON.stringify(credentialOf(token, agentId)), { mode: 0o600 });
      return { token, agentId };
    },
    publicText: () =>
      [files.record, files.status]
        .filter((file) => existsSync(file))
        .concat(list(files.spool).map((name) => path.join(files.spool, name)))
        .map((file) => readFileSync(file, 'utf8'))
        .join('\n'),
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}

const recordOf = (hub: AgentHub, agentId: string, now = Date.now()) => ({
  hubUrl: hub.url.href,
  ca: null,
  agentId,
  hostName: 'desk',
  store: 'file' as const,
  credentialName: 'a-request',
  acceptsPlaintext: false,
  enrolledAt: now,
  rotatedAt: now,
  rotationStartedAt: null,
});

const credentialOf = (token: string, agentId: string, previous: string | null = null) => ({
  requestId: 'a-request',
  agentId,
  current: token,
  previous,
});

export interface AgentLab extends AsyncDisposable {
  readonly folder: AgentFolder;
  readonly clock: ManualClock;
  readonly agent: RunningAgent;
  /** What the next takes return, one list each. */
  readonly takes: SeenConnection[][];
  /** Waits until the sender sleeps, then moves the clock. */
  advance(ms: number): Promise<void>;
  take(...seen: SeenConnection[]): Promise<void>;
  token(): { current: string; previous: string | null };
}

export interface AgentLabOptions {
  spoolBytes?: number;
  rotateDays?: number;
  folder?: AgentFolder;
  log?: Log;
}

export const takeMs = 15_000;

/** The running Agent in this process, with a clock that the test moves. */
export async function startAgentLab(hub: AgentHub, options: AgentLabOptions = {}): Promise<AgentLab> {
  const clock = new ManualClock();
  const made = options.folder === undefined ? agentFolder() : null;
  const folder = options.folder ?? (made as AgentFolder);
  made?.enrolled(hub, clock.now());
  const takes: SeenConnection[][] = [];
  const watch = { ...countingWatch(() => 0), take: () => takes.shift() ?? [] };
  const agent = await startAgent({
    clock,
    log: options.log ?? createLog('agent', 'silent'),
    files: folder.files,
    store: plainFile(folder.files.credential),
    startWatch: async () => watch,
    takeMs,
    pollMs: 2000,
    spoolBytes: options.spoolBytes ?? 1_048_576,
    rotateDays: options.rotateDays ?? 30,
    includeLoopback: false,
    allow: 'all',
  });
  // The takes, the status and the sender sleep.
  const settled = async () => {
    while (clock.sleeping < 3) {
      await systemClock.sleep(2);
    }
  };
  const advance = async (ms: number) => {
    await settled();
    await clock.advance(ms);
    await settled();
  };
  return {
    folder,
    clock,
    agent,
    takes,
    advance,
    async take(...seen) {
      takes.push(seen);
      await advance(takeMs);
    },
    token: () => JSON.parse(readFileSync(folder.files.credential, 'utf8')),
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      made?.[Symbol.dispose]();
    },
  };
}
