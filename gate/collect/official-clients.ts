// Runs third-party clients against the staged endpoint: which protocol era each uses, and whether a tool call succeeds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readJson } from '#kernel/files/files.ts';
import { childEnv } from '#kernel/process/env.ts';
import { GateError } from '../private-file.ts';
import type { CollectContext } from './collector.ts';
import { type Forwarder, startForwarder } from './forwarder.ts';

export interface ClientRun {
  name: string;
  version: string;
  /** The observed era; null when the client failed earlier. */
  era: '2025-11-25' | '2026-07-28' | null;
  works: boolean;
}

type Run = (url: URL) => Promise<boolean>;

const info = { name: 'gatehouse-gate', version: '1' };
const tool = { name: 'get_devices', arguments: {} };

/** The second-generation SDK, in the modern era. */
const modernClient: Run = async (url) => {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(url));
  return tryTool(client);
};

/** The first-generation SDK: it supports the older era only. */
const legacyClient: Run = async (url) => {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const client = new Client(info);
  await client.connect(new StreamableHTTPClientTransport(url) as unknown as Parameters<typeof client.connect>[0]);
  return tryTool(client);
};

/** The MCP Inspector command line, in the older era. */
const inspector: Run = async (url) => {
  const home = mkdtempSync(path.join(tmpdir(), 'gatehouse-inspector-'));
  const entry = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
  const program = path.join(path.dirname(entry), 'clients/launcher/build/index.js');
  const args = ['--cli', url.href, '--protocol-era', 'legacy', '--method', 'tools/list', '--format', 'json'];
  try {
    const child = spawn(process.execPath, [program, ...args], { env: childEnv({ HOME: home }), stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } finally {
    rmSync(home, { recursive: true });
  }
};

export const officialClients = {
  clientA: { package: '@modelcontextprotocol/client', run: modernClient },
  clientB: { package: '@modelcontextprotocol/inspector', run: inspector },
  legacyClient: { package: '@modelcontextprotocol/sdk', run: legacyClient },
} as const;

export type ClientRole = keyof typeof officialClients;

/** Runs all three; a failure is part of the result. */
export async function runOfficialClients(
  token: string,
  context: CollectContext,
): Promise<Record<ClientRole, ClientRun>> {
  const runs = {} as Record<ClientRole, ClientRun>;
  for (const [role, client] of Object.entries(officialClients) as [
    ClientRole,
    (typeof officialClients)[ClientRole],
  ][]) {
    const version = readInstalledVersion(client.package);
    await using forwarder = await startForwarder(token, context);
    const works = await attempt(client.run, forwarder.url);
    runs[role] = { name: client.package, version, era: toEra(forwarder), works };
    context.transcript.add(
      `ran ${client.package} ${version}`,
      `era ${runs[role].era ?? 'unknown'}, ${works ? 'works' : 'does not work'}`,
    );
  }
  return runs;
}

async function attempt(run: Run, url: URL): Promise<boolean> {
  try {
    return await run(url);
  } catch (error) {
    if (error instanceof GateError) {
      throw error;
    }
    return false;
  }
}

function toEra({ seen }: Forwarder): ClientRun['era'] {
  if (seen.versions.has('2026-07-28')) {
    return '2026-07-28';
  }
  return seen.methods.has('initialize') && seen.versions.has('2025-11-25') ? '2025-11-25' : null;
}

interface Official {
  listTools(): Promise<{ tools: unknown[] }>;
  callTool(call: typeof tool): Promise<unknown>;
  close(): Promise<void>;
}

async function tryTool(client: Official): Promise<boolean> {
  const { tools } = await client.listTools();
  const { isError } = (await client.callTool(tool)) as { isError?: boolean };
  await client.close();
  return tools.length > 0 && isError !== true;
}

function readInstalledVersion(name: string): string {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    const found = readJson(path.join(folder, name, 'package.json')) as { version: string } | undefined;
    if (found) {
      return found.version;
    }
  }
  throw new GateError(`${name} is not installed: run npm install in the checkout (it is a development dependency)`);
}
