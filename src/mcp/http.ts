// Composes the HTTP endpoint: audit, hub client, service identity, steps, listener. They stop in reverse order.
import { limits } from '#contract/limits.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import { startAudit } from './audit.ts';
import { createAuditRecorder } from './http/audit-recorder.ts';
import type { Authenticator } from './http/caller.ts';
import { createDispatch } from './http/dispatch.ts';
import { type Listener, startListener } from './http/listener.ts';
import { serveExchange } from './http/serve-exchange.ts';
import { createSteps } from './http/steps.ts';
import { createTokenAuthenticator } from './http/token-authenticator.ts';
import { createHub } from './hub.ts';
import { createOAuthAuthenticator } from './oauth/authenticator.ts';
import { resourceDocuments } from './oauth/resource-metadata.ts';
import { createToolServers } from './server.ts';
import { startServiceIdentity } from './service-identity.ts';
import type { AuthSettings, HttpSettings } from './settings.ts';
import { tools } from './tools.ts';

export interface McpHttpOptions {
  settings: HttpSettings;
  version: string;
  clock: Clock;
  log: Log;
  stop: AbortSignal;
}

export interface McpHttp extends AsyncDisposable {
  /** Address of the endpoint; its path ends with `/mcp`. */
  readonly url: URL;
  settled(): Promise<void>;
}

/** Starts to listen after the audit store was written to and the hub confirmed the service identity. */
export async function startMcpHttp({ settings, version, clock, log, stop }: McpHttpOptions): Promise<McpHttp> {
  const opened = new AsyncDisposableStack();
  try {
    const audit = opened.use(await startAudit({ file: settings.auditFile, key: settings.auditKey, clock, log }));
    const hub = opened.use(createHub(settings.hub, clock));
    const watch = opened.use(await startServiceIdentity({ hub, clock, log, stop }));
    const ending = new AbortController();
    opened.defer(() => ending.abort(new Error('the MCP server stops')));
    const authenticator = createAuthenticator(settings.auth, clock, log, ending.signal);
    const recorder = createAuditRecorder(audit, new Set(tools.map(({ name }) => name)));
    const serverFor = createToolServers({ tools, version, clock, log });
    const dispatch = createDispatch({ serverFor, hub, watch, recorder, log });
    opened.defer(() => dispatch.close());
    const steps = createSteps({ settings, tools, authenticator, audit, clock });
    const open = new Set<Promise<void>>();
    const listener = await startListener({
      settings,
      clock,
      log,
      serve(exchange, raw) {
        const over = new Promise<void>((resolve) => exchange.onEnd(resolve));
        open.add(over);
        exchange.onEnd(() => open.delete(over));
        return serveExchange(exchange, raw, { steps, dispatch, recorder, log });
      },
      notFound: recorder.notFound,
      documents: settings.auth.mode === 'oauth' ? resourceDocuments(settings.auth) : new Map(),
    });
    opened.defer(() => drain(listener, clock, log));
    return {
      url: listener.url,
      async settled() {
        while (open.size > 0) {
          await Promise.all(open);
        }
        await audit.settled();
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

function createAuthenticator(auth: AuthSettings, clock: Clock, log: Log, stop: AbortSignal): Authenticator {
  return auth.mode === 'token'
    ? createTokenAuthenticator(auth.token)
    : createOAuthAuthenticator(auth, clock, log, stop);
}

async function drain(listener: Listener, clock: Clock, log: Log): Promise<void> {
  try {
    const late = () => new Error('requests were still running');
    await withDeadline(clock, limits.drainMs, late, undefined, () => Promise.resolve(listener[Symbol.asyncDispose]()));
  } catch (error) {
    log.warn({ err: error }, 'the server stopped while requests were running: their connections were closed');
    listener.closeConnections();
  }
}
