// Hubs that are not the stage's, and programs between an MCP server and its hub.
import { cpSync, mkdtempSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import Database from 'better-sqlite3';
import { api } from '#contract/index.ts';
import { startHub } from '#hub/start/hub.ts';
import { createClient } from '#kernel/http/client.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { createLog } from '#kernel/process/log.ts';
import { createToken } from '#kernel/text/secret.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { addRouter, type Stage, stagedCommit } from '../../scripts/stage.ts';

export interface OtherHub {
  url: string;
  adminToken: string;
  serviceToken: string;
}

/** A hub of its own data, or of `dataDir`; with `router` it polls the router of the stage. */
export async function secondHub(
  stage: Stage,
  after: AsyncDisposableStack,
  { router = false, dataDir }: { router?: boolean; dataDir?: string } = {},
): Promise<OtherHub> {
  const adminToken = createToken('', 24);
  const hub = after.use(
    await startHub({
      dataDir: dataDir ?? mkdtempSync(path.join(stage.folder, 'other-')),
      host: '127.0.0.1',
      port: 0,
      version: '0.0.0',
      commit: stagedCommit,
      clock: systemClock,
      log: createLog('hub', 'silent'),
      threatFeeds: false,
      allowLoopbackRouters: true,
      passwordCost: { log2N: 10, r: 8, p: 1 },
      initialAdminToken: adminToken,
    }),
  );
  if (dataDir !== undefined) {
    return { url: hub.url.origin, adminToken: '', serviceToken: '' };
  }
  const admin = createClient(api, { baseUrl: hub.url, headers: { 'x-admin-token': adminToken } });
  if (router) {
    await addRouter(admin, stage.router);
    await hub.settled();
  }
  const { token } = await admin.auth.createIdentity({
    body: { label: 'mcp', permissions: ['network.read', 'notes.write'], expiresInMs: 3_600_000 },
  });
  return { url: hub.url.origin, adminToken, serviceToken: token };
}

/** The data folder of the stage's hub as a backup of an hour ago would have it. */
export function dataCopy(stage: Stage): string {
  const folder = mkdtempSync(path.join(stage.folder, 'copy-'));
  const data = path.join(stage.folder, 'data');
  cpSync(data, folder, { recursive: true, filter: (file) => !/monitor\.db|\.(?:lock|pid)$/.test(file) });
  const store = new Database(path.join(data, 'monitor.db'), { readonly: true });
  store.prepare('VACUUM INTO ?').run(path.join(folder, 'monitor.db'));
  store.close();
  const copy = new Database(path.join(folder, 'monitor.db'));
  copy.exec('UPDATE device SET first_seen = first_seen - 3600000, last_seen = last_seen - 3600000');
  copy.close();
  return folder;
}

export interface HubProxy {
  /** Headers that it sets on the way to the hub. */
  headers?: Record<string, string>;
  /** A path that it answers with 503. */
  broken?: string;
  /** A body that it answers by itself; null asks the hub. */
  answer?(asked: { path: string }): string | null;
  /** What it makes of a body of the hub. */
  change?(path: string, body: string): string;
}

/** A program in front of the hub; resolves to its address. */
export async function hubProxy(
  { hub }: Stage,
  after: AsyncDisposableStack,
  { headers, broken, answer, change }: HubProxy,
): Promise<string> {
  const server = http.createServer((request, response) => {
    const asked = request.url ?? '/';
    if (asked === broken) {
      response.writeHead(503).end();
      return;
    }
    const own = answer?.({ path: asked }) ?? null;
    if (own !== null) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(own);
      return;
    }
    const { hostname, port } = hub.url;
    const sent = { ...request.headers, ...headers };
    const onward = http.request({ hostname, port, path: asked, method: request.method, headers: sent }, (answered) => {
      void answered.toArray().then((chunks) => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { 'content-length': _, ...kept } = answered.headers;
        response.writeHead(answered.statusCode ?? 502, kept).end(change?.(asked, text) ?? text);
      });
    });
    request.pipe(onward);
  });
  const url = `http://${await listen(server)}`;
  after.defer(() => close(server));
  return url;
}

/** The gate, and it alone, sees the hub through a program in front of it. */
export async function gateSeesHub(stage: Stage, after: AsyncDisposableStack, proxy: HubProxy): Promise<void> {
  stage.set({ MCP_GATE_MONITOR_URL: await hubProxy(stage, after, proxy) });
}

/** Changes the list of devices, and nothing else. */
export function withDevices(change: (devices: unknown[]) => unknown[]): (path: string, body: string) => string {
  return (asked, body) => {
    if (!asked.startsWith('/api/devices')) {
      return body;
    }
    const { devices, ...rest } = JSON.parse(body) as { devices: unknown[] };
    return JSON.stringify({ ...rest, devices: change(devices) });
  };
}
