// The hub as the tools see it: the typed client, with a deadline for every call, the request id, and no text of the hub in errors.
import { Agent } from 'undici';
import { connectionRoutes } from '#contract/connections.ts';
import { detectionRoutes } from '#contract/detection.ts';
import { deviceRoutes, noteRoutes } from '#contract/devices.ts';
import { type Clock, withDeadline } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import { type Client, ClientError, createClient } from '#kernel/http/client.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import type { HubSettings } from './settings.ts';

/** The routes that tools call. */
export const hubRoutes = {
  connections: connectionRoutes,
  detection: { log: detectionRoutes.log },
  devices: { list: deviceRoutes.list },
  notes: { list: noteRoutes.list, write: noteRoutes.write },
} as const;

export type HubClient = Client<typeof hubRoutes>;

/** One exchange with an MCP client, as far as calls of the hub belong to it. */
export interface HubExchange {
  /** Sent as `X-Request-Id`: it joins the two audit trails. Absent on stdio. */
  requestId?: string | undefined;
  /** Ends the calls that are under way. */
  signal: AbortSignal;
}

export interface Hub extends AsyncDisposable {
  /** A client for tools, whose calls belong to one exchange. */
  at(exchange: HubExchange, watch?: CredentialWatch): HubClient;
  /** A client of other routes, for what the server itself asks. */
  client<G extends Parameters<typeof createClient>[0]>(groups: G, exchange: HubExchange): Client<G>;
}

/** What watches over the credential that calls of tools are made with. */
export interface CredentialWatch {
  /** Before each call; rejects while the credential is not what it must be. */
  ready(signal: AbortSignal): Promise<void>;
  /** The hub answered 401. */
  refused(): void;
}

/** The hub could not be asked, or refused. `status` is its answer; null when there was none. */
export class HubError extends AppError {
  readonly hubStatus: number | null;

  constructor(route: RouteDefinition<unknown>, hubStatus: number | null, what: string, cause: unknown) {
    super('upstream_failed', `the monitoring service ${what}: ${route.method} ${route.path}`, { cause });
    this.hubStatus = hubStatus;
  }
}

/** Calls reject with HubError, whose message names the path and the status and nothing else (wire contract 6). */
export function createHub({ url, token, apiTimeoutMs }: HubSettings, clock: Clock): Hub {
  const dispatcher = new Agent({ connections: 16 });
  const connect = <G extends Parameters<typeof createClient>[0]>(
    groups: G,
    { requestId, signal: exchange }: HubExchange,
    watch?: CredentialWatch,
  ) =>
    createClient(groups, {
      baseUrl: url,
      headers: { 'x-admin-token': token, ...(requestId === undefined ? {} : { 'x-request-id': requestId }) },
      timeoutMs: apiTimeoutMs,
      dispatcher,
      around: async (route, send) => {
        const late = () => new HubError(route, null, `did not answer within ${apiTimeoutMs} ms`, undefined);
        try {
          await watch?.ready(exchange);
          return await withDeadline(clock, apiTimeoutMs, late, exchange, send);
        } catch (error) {
          const failure = meantError(route, error);
          if (failure instanceof HubError && failure.hubStatus === 401) {
            watch?.refused();
          }
          throw failure;
        }
      },
    });
  return {
    at: (exchange, watch) => connect(hubRoutes, exchange, watch),
    client: (groups, exchange) => connect(groups, exchange),
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

/** What has a message for the caller stays as it is. */
function meantError(route: RouteDefinition<unknown>, error: unknown): AppError {
  if (error instanceof AppError) {
    return error;
  }
  return error instanceof ClientError
    ? new HubError(route, error.status, `answered ${error.status}`, error)
    : new HubError(route, null, 'could not be asked', error);
}
