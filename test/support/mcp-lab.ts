// A hub with something in its log and an MCP endpoint in front of it, in this process, on the same clock that stands still.
import path from 'node:path';
import { type Dispatcher, request } from 'undici';
import { freePort } from '#kernel/http/listening.ts';
import { readEnv } from '#kernel/process/env.ts';
import { createLog, type Log } from '#kernel/process/log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { mcpEnv } from '#mcp/config.ts';
import { type McpHttp, startMcpHttp } from '#mcp/http.ts';
import { type HttpSettings, mcpSettings } from '#mcp/settings.ts';
import { type IssuerOptions, type IssuerSimulator, startIssuer } from '#simulators/oidc/issuer.ts';
import { eventually, until } from './eventually.ts';
import { type Lab, type LabOptions, startLab } from './lab.ts';
import { watchLeaks } from './leak-guard.ts';
import { seedLog } from './mcp-seed.ts';
import { type Relay, startRelay } from './relay.ts';
import { startSniffer } from './wire-sniffer.ts';

export const mcpToken = 'the-token-of-mcp-clients';
export const auditKey = 'a-key-of-the-pseudonyms-of-32-characters-or-more';

export interface McpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The JSON body, or the first message of an event stream. */
  body: Record<string, unknown>;
}

export interface AuditRow {
  event_type: string;
  outcome: string;
  reason: string | null;
  subject_hash: string | null;
  client_id_hash: string | null;
  client_ip_hash: string | null;
  tool_name: string | null;
  mcp_method: string | null;
  http_status: number | null;
  scopes: string | null;
  request_id: string | null;
  duration_ms: number | null;
  created_at: number;
}

export interface McpLab extends AsyncDisposable {
  readonly lab: Lab<never>;
  readonly relay: Relay;
  readonly mcp: McpHttp;
  /** The endpoint's address. */
  readonly url: URL;
  readonly serviceToken: string;
  readonly settings: HttpSettings;
  readonly auditFile: string;
  /** One POST with the token and both types accepted, unless `headers` say otherwise; null takes one out. */
  post(message: unknown, headers?: Record<string, string | null>): Promise<McpAnswer>;
  /** Rows of the audit store, oldest first, without the one of the start. */
  rows(): Promise<AuditRow[]>;
  /** The same when nothing is under way any more. */
  settledRows(): Promise<AuditRow[]>;
  /** Ends the endpoint and starts it again. */
  restart(): Promise<void>;
  /** The issuer in OAuth mode. */
  readonly issuer: IssuerSimulator;
}

export interface McpLabOptions {
  env?: Record<string, string>;
  /** Serve in OAuth mode, with this issuer. */
  oauth?: IssuerOptions;
  hub?: LabOptions<never>['hub'];
  log?: Log;
}

/** A hub, an identity for the endpoint, a wire between them, and the endpoint in token mode unless `env` says otherwise. */
export async function startMcpLab({ env = {}, hub = {}, log, oauth }: McpLabOptions = {}): Promise<McpLab> {
  await using opened = new AsyncDisposableStack();
  opened.use(watchLeaks());
  const lab = opened.use(await startLab({ hub }));
  await seedLog(lab);
  const { token: serviceToken } = await lab.as.identity(['network.read', 'notes.write']);
  const relay = opened.use(await startRelay(lab.url));
  const wire = opened.use(startSniffer());
  wire.hub(relay.url);
  const issuer = oauth && opened.use(await startIssuer({ clock: lab.clock, ...oauth }));
  const port = issuer ? await freePort() : 0;
  const auditFile = path.join(lab.dataDir, 'mcp-audit.db');
  const settings = mcpSettings(
    readEnv(mcpEnv, {
      MONITOR_URL: relay.url.href,
      MCP_PORT: '1',
      MCP_TOKEN: mcpToken,
      MCP_SERVICE_TOKEN: serviceToken,
      MCP_AUDIT_HMAC_KEY: auditKey,
      MCP_AUDIT_DB_PATH: auditFile,
      MCP_RATE_LIMIT_GLOBAL: '1000',
      MCP_RATE_LIMIT_SUBJECT: '1000',
      MCP_RATE_LIMIT_CLIENT: '1000',
      ...(issuer ? oauthEnv(issuer, port) : {}),
      ...env,
    }),
  ) as HttpSettings;
  const start = () =>
    startMcpHttp({
      settings: { ...settings, port },
      version: '0.0.0',
      clock: lab.clock,
      log: log ?? createLog('mcp', 'silent'),
      stop: new AbortController().signal,
    });
  let mcp = await start();
  wire.mcp(mcp.url);
  const rows = async () => {
    const db = new Db(auditFile);
    try {
      return db
        .prepare("SELECT * FROM mcp_audit WHERE event_type <> 'mcp_audit_startup' ORDER BY seq")
        .all() as AuditRow[];
    } finally {
      await db.close();
    }
  };
  opened.defer(() => mcp[Symbol.asyncDispose]());
  const whole = opened.move();
  return {
    lab,
    relay,
    get mcp() {
      return mcp;
    },
    get url() {
      return mcp.url;
    },
    get issuer() {
      if (!issuer) {
        throw new Error('this lab has no issuer: give oauth');
      }
      return issuer;
    },
    serviceToken,
    settings,
    auditFile,
    post: (message, headers) => post(mcp.url, message, { 'x-admin-token': mcpToken, ...headers }),
    async settledRows() {
      await mcp.settled();
      return rows();
    },
    rows,
    async restart() {
      await mcp[Symbol.asyncDispose]();
      mcp = await start();
      wire.mcp(mcp.url);
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

function oauthEnv({ issuer }: IssuerSimulator, port: number): Record<string, string> {
  return {
    MCP_AUTH_MODE: 'oauth',
    MCP_OAUTH_ISSUER: issuer,
    MCP_OAUTH_RESOURCE: `http://127.0.0.1:${port}/mcp`,
    MCP_OAUTH_READ_SCOPE: 'network.read',
    MCP_OAUTH_NOTES_WRITE_SCOPE: 'notes.write',
  };
}

/** One POST as given; JSON unless it is a text or bytes already. A dispatcher may bring another way to connect. */
export async function post(
  url: URL,
  message: unknown,
  headers: Record<string, string | null> = {},
  dispatcher?: Dispatcher,
): Promise<McpAnswer> {
  const all: Record<string, string | null> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  const isRaw = typeof message === 'string' || Buffer.isBuffer(message);
  const response = await request(url, {
    method: 'POST',
    headers: Object.fromEntries(sent),
    body: isRaw ? message : JSON.stringify(message),
    ...(dispatcher ? { dispatcher } : {}),
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text, body: messageIn(text) };
}

function messageIn(text: string): Record<string, unknown> {
  const json = text.startsWith('{') ? text : (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? '{}');
  return JSON.parse(json) as Record<string, unknown>;
}

/** A request of era 2025-11-25. */
export function legacy(method: string, params: Record<string, unknown> = {}, id: number | null = 1) {
  return { jsonrpc: '2.0', ...(id === null ? {} : { id }), method, params };
}

/** A request of era 2026-07-28 with the headers that belong to it. */
export function modern(method: string, params: Record<string, unknown> = {}, version = '2026-07-28') {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers: Record<string, string> = { 'mcp-protocol-version': version, 'mcp-method': method };
  if (typeof params.name === 'string') {
    headers['mcp-name'] = params.name;
  }
  return { message: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers };
}

/** Waits until the hub was asked for threat counts so many times; `after`: characters sent to it before. */
export const hubAsked = ({ relay }: McpLab, times = 1, after = 0) =>
  until(
    () =>
      (relay
        .sent()
        .slice(after)
        .match(/threat-counts/g)?.length ?? 0) === times,
  );

/** Lets virtual time pass, `stepMs` at a time, until `work` has ended. */
export async function passTimeUntil<T>({ lab }: Pick<McpLab, 'lab'>, stepMs: number, work: PromiseLike<T>): Promise<T> {
  const state = { isOver: false };
  const over = () => {
    state.isOver = true;
  };
  work.then(over, over);
  await eventually(
    async () => {
      await lab.clock.advance(stepMs);
      return state.isOver;
    },
    (isOver) => isOver || undefined,
  );
  return work;
}
