// A cold `gatehouse mcp` of the experiment's own: the private environment of the real one, another port and audit store.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParseArgsOptionsConfig, parseEnv } from 'node:util';
import { withDeadline } from '#kernel/clock.ts';
import { childEnv } from '#kernel/env.ts';
import { freePort } from '#kernel/listening.ts';
import { GateError, readPrivateFile } from '../private-file.ts';
import type { CollectContext } from './collector.ts';

export interface McpProcess extends AsyncDisposable {
  readonly url: URL;
}

const startMs = 90_000;

/** The option of collectors that start one. */
export const mcpEnvOption = { 'mcp-env': { type: 'string' } } as const satisfies ParseArgsOptionsConfig;
export const mcpEnvHelp = `  --mcp-env FILE       private environment file of the MCP server, mode 0600; processes of its own are started with it
`;

/** The file it names; throws a GateError when it is missing. */
export function mcpEnvFile({ options }: Pick<CollectContext, 'options'>): string {
  const file = options['mcp-env'];
  if (typeof file !== 'string') {
    throw new GateError('--mcp-env is missing: the private environment file of the MCP server');
  }
  return file;
}

/** Starts it from nothing; `overrides` win over the file. Rejects with a GateError when it does not come up. */
export async function startMcpProcess(
  envFile: string,
  { clock, config, signal }: Pick<CollectContext, 'clock' | 'config' | 'signal'>,
  overrides: Readonly<Record<string, string>> = {},
): Promise<McpProcess> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-cold-'));
  const settings = parseEnv(readPrivateFile(envFile, 'the MCP environment file')) as Record<string, string>;
  const entry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, 'mcp'], {
    env: childEnv({
      ...settings,
      MCP_PORT: String(await freePort()),
      MCP_BIND_ADDRESS: '127.0.0.1',
      MCP_AUDIT_DB_PATH: path.join(folder, 'audit.db'),
      ...(config.MCP_GATE_CA_PATH === undefined ? {} : { NODE_EXTRA_CA_CERTS: config.MCP_GATE_CA_PATH }),
      ...overrides,
    }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const address = await withDeadline(
      clock,
      startMs,
      () => new GateError('the MCP process did not start within 90 seconds'),
      signal,
      () => readyAddress(child),
    );
    return { url: new URL(address), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readyAddress(child: ReturnType<typeof spawn>): Promise<string> {
  let text = '';
  const found = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8');
      const [, address] = /^gatehouse mcp ready (\S+)$/m.exec(text) ?? [];
      if (address !== undefined) {
        resolve(address);
      }
    });
    child.once('exit', (code) =>
      reject(new GateError(`the MCP process ended at its start with code ${code}: try it by hand`)),
    );
    child.once('error', () => reject(new GateError('the MCP process could not be started')));
  });
  return found;
}
