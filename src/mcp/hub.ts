// The hub as the tools see it: the typed client, with a deadline for every call, the request id, and no text of the hub in errors.
import { Agent } from 'undici';
import { connectionRoutes } from '#contract/connections.ts';
import { detectionRoutes } from '#contract/detection.ts';
import { deviceRoutes, noteRoutes } from '#contract/devices.ts';
import { type Clock, withDeadline } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import { AnswerError, type Client, ClientError, createClient } from '#kernel/http/client.ts';
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

/** What went wrong with a call, and what to correct; `status` is the hub's answer, null without one. */
interface Fault {
  status: number | null;
  what: string;
  advice: string | null;
}

/** The hub could not be asked, or refused. `status` is its answer; null when there was none. */
export class HubError extends AppError {
  readonly hubStatus: number | null;

  constructor(route: RouteDefinition<unknown>, { status: hubStatus, what, advice }: Fault, cause: unknown) {
    const text = `the monitoring service ${what}: ${route.method} ${route.path}`;
    super('upstream_failed', advice === null ? text : `${text}; ${advice}`, { cause });
    this.hubStatus = hubStatus;
  }
}

/**
 * Calls reject with HubError, whose message names the path and the status and nothing else (wire contract 6), except where
 * the settings ask for advice.
 */
export function createHub({ url, token, apiTimeoutMs, advises }: HubSettings, clock: Clock): Hub {
  const fault = (status: number | null, what: string, advice: string | null = null): Fault => ({
    status,
    what,
    advice: advises ? advice : null,
  });
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
        const late = () => new HubError(route, fault(null, `did not answer within ${apiTimeoutMs} ms`), undefined);
        try {
          await watch?.ready(exchange);
          return await withDeadline(clock, apiTimeoutMs, late, exchange, send);
        } catch (error) {
          const failure = meantError(route, error, fault);
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

const adviceByStatus: Readonly<Record<number, string>> = {
  401: 'MONITOR_TOKEN is not a token of it: give the admin token',
  403: 'MONITOR_TOKEN may not do that: give the admin token',
  404: 'MONITOR_URL is not its address: correct it, with the path of a proxy where there is one',
};

/** What has a message for the caller stays as it is. */
function meantError(
  route: RouteDefinition<unknown>,
  error: unknown,
  fault: (status: number | null, what: string, advice?: string | null) => Fault,
): AppError {
  if (error instanceof AppError) {
    return error;
  }
  if (error instanceof ClientError) {
    return new HubError(route, fault(error.status, `answered ${error.status}`, adviceByStatus[error.status]), error);
  }
  const found =
    error instanceof AnswerError
      ? fault(null, 'did not answer as a hub does', 'see whether MONITOR_URL is the address of a hub')
      : fault(null, 'could not be asked', 'see whether a hub runs at MONITOR_URL');
  return new HubError(route, found, error);
}
