// Starts `gatehouse mcp` as a child process: for collectors with the real settings, but its own port and audit store.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParseArgsOptionsConfig, parseEnv } from 'node:util';
import { freePort } from '#kernel/http/listening.ts';
import { childEnv } from '#kernel/process/env.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import { GateError, readPrivateFile } from '../private-file.ts';
import type { CollectContext } from './collector.ts';

export interface McpProcess extends AsyncDisposable {
  readonly url: URL;
  /** The commit that the program was built from; null when the program does not report one. */
  readonly commit: string | null;
}

const startDeadlineMs = 90_000;

export const mcpEnvOption = { 'mcp-env': { type: 'string' } } as const satisfies ParseArgsOptionsConfig;
export const mcpEnvHelp = `  --mcp-env FILE       private environment file of the MCP server, mode 0600; processes of its own are started with it
`;

/** Returns the path that `--mcp-env` names. Throws a GateError when the option is missing. */
export function requireMcpEnvFile({ options }: Pick<CollectContext, 'options'>): string {
  const file = options['mcp-env'];
  if (typeof file !== 'string') {
    throw new GateError('--mcp-env is missing: the private environment file of the MCP server');
  }
  return file;
}

/**
 * Starts a server with the settings in `envFile`, of which `overrides` replace some. Disposal ends it and removes its
 * audit store. Rejects with a GateError when it does not start.
 */
export async function startMcpProcess(
  envFile: string,
  { clock, config, signal, transcript }: Pick<CollectContext, 'clock' | 'config' | 'signal' | 'transcript'>,
  overrides: Readonly<Record<string, string>> = {},
): Promise<McpProcess> {
  const settings = parseEnv(readPrivateFile(envFile, 'the MCP environment file')) as Record<string, string>;
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-cold-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    ...settings,
    MCP_PORT: String(await freePort()),
    MCP_BIND_ADDRESS: '127.0.0.1',
    MCP_AUDIT_DB_PATH: path.join(folder, 'audit.db'),
    ...(config.MCP_GATE_CA_PATH === undefined ? {} : { NODE_EXTRA_CA_CERTS: config.MCP_GATE_CA_PATH }),
    ...overrides,
  };
  const { url, commit } = stack.use(await launchMcp([], env, { clock, signal }));
  transcript.startedProcess(commit);
  const started = stack.move();
  return { url, commit, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

interface LaunchOptions {
  clock: Clock;
  signal?: AbortSignal;
  /** Whether the log of the process is discarded, as when absent, or goes to this program's stderr. */
  stderr?: 'ignore' | 'inherit';
}

/** Starts `gatehouse mcp` and resolves when it is ready. Rejects with a GateError when it does not start. */
export async function launchMcp(
  args: readonly string[],
  env: Record<string, string>,
  { clock, signal, stderr = 'ignore' }: LaunchOptions,
): Promise<McpProcess> {
  const entry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, 'mcp', ...args], {
    env: childEnv(env),
    stdio: ['ignore', 'pipe', stderr],
  });
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
  };
  const createTimeout = () => new GateError('the MCP process did not start within 90 seconds');
  try {
    const wait = (aborted: AbortSignal) => waitUntilReady(child, aborted);
    const { address, commit } = await withDeadline(clock, startDeadlineMs, createTimeout, signal, wait);
    return { url: new URL(address), commit, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Reads the lines that src/mcp/main.ts prints until it is ready. Rejects with the reason of an aborted signal. */
function waitUntilReady(child: ChildProcess, signal: AbortSignal): Promise<{ address: string; commit: string | null }> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      output += bytes.toString('utf8');
      const [, address] = /^gatehouse mcp ready (\S+)$/m.exec(output) ?? [];
      if (address !== undefined) {
        const [, commit = null] = /^gatehouse mcp version \S+\+([0-9a-f]{40})$/m.exec(output) ?? [];
        resolve({ address, commit });
      }
    });
    child.once('exit', (code) =>
      reject(new GateError(`the MCP process ended at its start with code ${code}: try it by hand`)),
    );
    child.once('error', () => reject(new GateError('the MCP process could not be started')));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
