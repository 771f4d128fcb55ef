// The hub client of the tools: typed routes, a deadline and request id for every call, no text of the hub in errors.
import { Agent } from 'undici';
import { connectionRoutes } from '#contract/connections.ts';
import { detectionRoutes } from '#contract/detection.ts';
import { deviceRoutes, noteRoutes } from '#contract/devices.ts';
import { AppError } from '#kernel/errors.ts';
import { AnswerError, type Client, ClientError, createClient } from '#kernel/http/client.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import type { HubSettings } from './settings.ts';

export const hubRoutes = {
  connections: connectionRoutes,
  detection: { log: detectionRoutes.log },
  devices: { list: deviceRoutes.list },
  notes: { list: noteRoutes.list, write: noteRoutes.write },
} as const;

export type HubClient = Client<typeof hubRoutes>;

/** The context of calls to the hub within one exchange. */
export interface HubExchange {
  /** Sent as `X-Request-Id`, which joins the two audit trails. Absent on stdio. */
  requestId?: string | undefined;
  signal: AbortSignal;
}

export interface Hub extends AsyncDisposable {
  at(exchange: HubExchange, watch?: CredentialWatch): HubClient;
  client<G extends Parameters<typeof createClient>[0]>(groups: G, exchange: HubExchange): Client<G>;
}

export interface CredentialWatch {
  /** Called before each call; rejects while the credential is invalid. */
  ensureValid(signal: AbortSignal): Promise<void>;
  /** Called when the hub answers 401. */
  noteRefusal(): void;
}

/** Describes a failed call and what to correct; `status` is null without a response. */
interface Fault {
  status: number | null;
  what: string;
  advice: string | null;
}

/** The hub was not reachable or refused the call. `status` is null without a response. */
export class HubError extends AppError {
  readonly hubStatus: number | null;

  constructor(route: RouteDefinition<unknown>, { status: hubStatus, what, advice }: Fault, cause: unknown) {
    const text = `the monitoring service ${what}: ${route.method} ${route.path}`;
    super('upstream_failed', advice === null ? text : `${text}; ${advice}`, { cause });
    this.hubStatus = hubStatus;
  }
}

/**
 * Calls reject with a HubError that has only path and status, and advice where enabled
 * (docs/reference/wire-contract/6-mcp-tools.md#61-common-rules).
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
          await watch?.ensureValid(exchange);
          return await withDeadline(clock, apiTimeoutMs, late, exchange, send);
        } catch (error) {
          const failure = toHubError(route, error, fault);
          if (failure instanceof HubError && failure.hubStatus === 401) {
            watch?.noteRefusal();
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

/** Passes on errors that carry a message for the caller. */
function toHubError(
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
