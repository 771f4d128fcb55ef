// Whether a tarball works for somebody who has nothing but it: installed in an empty folder, and used.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { api } from '#contract/index.ts';
import { createClient } from '#kernel/http/client.ts';
import { childEnv } from '#kernel/process/env.ts';
import { runForOutput } from './program.ts';

/** Installs `tarball` in `folder`, a new one. */
export function install(tarball: string, folder: string): void {
  mkdirSync(folder);
  runForOutput('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', tarball], folder);
}

/** Starts a router of the simulators that are installed in `folder`, and ends it. Throws for what does not work. */
export function startSimulator(folder: string): void {
  const program =
    "import { startRouter } from 'gatehouse-simulators'; await using router = await startRouter('vendor_b');";
  runForOutput(process.execPath, ['--input-type=module', '--eval', program], folder);
}

/** Starts the installed hub, reads the page and a list, writes a note. Throws for what does not work. */
export async function useHub(installed: string, dataDir: string): Promise<void> {
  const args = [path.join(installed, 'bin/gatehouse.js'), 'hub', '--port', '0', '--data', dataDir];
  // No public host is asked: a check must not depend on the network.
  const env = childEnv({ MONITOR_OFFLINE_MODE: 'true' });
  const hub = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const said: string[] = [];
  hub.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const ended = once(hub, 'close');
  try {
    const baseUrl = await addressOf(hub.stdout.setEncoding('utf8'), () => said.join(''));
    const adminToken = readFileSync(path.join(dataDir, 'initial-admin-token'), 'utf8').trim();
    const client = createClient(api, { baseUrl, headers: { 'x-admin-token': adminToken } });
    const page = await fetch(new URL('/', baseUrl), { headers: { accept: 'text/html' } });
    if (page.status !== 200 || !/^<!doctype html>/i.test(await page.text())) {
      throw new Error(`the page of the installed hub answers ${page.status}`);
    }
    await client.connections.list({ query: {} });
    await client.notes.write({ body: { ip: '192.168.1.9', note: 'a note' } });
  } finally {
    hub.kill('SIGTERM');
    await ended;
  }
  const [code] = (await ended) as [number | null];
  if (code !== 0) {
    throw new Error(`the installed hub ended with ${code}: ${said.join('')}`);
  }
}

async function addressOf(stdout: AsyncIterable<string>, stderr: () => string): Promise<URL> {
  let text = '';
  for await (const part of stdout) {
    text += part;
    const [, address] = /ready (http:\S+)/.exec(text) ?? [];
    if (address !== undefined) {
      return new URL(address);
    }
  }
  throw new Error(`the installed hub did not start: ${stderr()}`);
}
