// Starts a temporary `gatehouse mcp` with the private environment of the real one, and another port and audit store.
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
  /** The commit that it was built from; null when it does not report one. */
  readonly commit: string | null;
}

const startMs = 90_000;

export const mcpEnvOption = { 'mcp-env': { type: 'string' } } as const satisfies ParseArgsOptionsConfig;
export const mcpEnvHelp = `  --mcp-env FILE       private environment file of the MCP server, mode 0600; processes of its own are started with it
`;

/** The value of the option; throws a GateError when it is missing. */
export function mcpEnvFile({ options }: Pick<CollectContext, 'options'>): string {
  const file = options['mcp-env'];
  if (typeof file !== 'string') {
    throw new GateError('--mcp-env is missing: the private environment file of the MCP server');
  }
  return file;
}

/** Starts the process; `overrides` take precedence over the file. Rejects with a GateError when it does not start. */
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

export interface Launch {
  clock: Clock;
  signal?: AbortSignal;
  /** Receives the log; discarded when absent. */
  stderr?: 'ignore' | 'inherit';
}

/** Starts `gatehouse mcp` and resolves when it is ready. Rejects with a GateError when it does not start. */
export async function launchMcp(
  args: readonly string[],
  env: Record<string, string>,
  { clock, signal, stderr = 'ignore' }: Launch,
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
  const late = () => new GateError('the MCP process did not start within 90 seconds');
  try {
    const { address, commit } = await withDeadline(clock, startMs, late, signal, (inner) => readiness(child, inner));
    return { url: new URL(address), commit, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Reads what it prints until it is ready (src/mcp/main.ts). Rejects with the signal's reason when that is aborted
 * first.
 */
function readiness(child: ChildProcess, signal: AbortSignal): Promise<{ address: string; commit: string | null }> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8');
      const [, address] = /^gatehouse mcp ready (\S+)$/m.exec(text) ?? [];
      if (address !== undefined) {
        const [, commit = null] = /^gatehouse mcp version \S+\+([0-9a-f]{40})$/m.exec(text) ?? [];
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
