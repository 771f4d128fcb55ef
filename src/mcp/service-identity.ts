// The API identity that the MCP server calls the hub with. Its permissions are checked at the start, every hour, and
// before each call after the hub answered 401 (docs/reference/mcp-server.md#calls-to-the-hub,
// docs/reference/wire-contract/7-mcp-http.md#71-start).
import { authRoutes } from '#contract/auth.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { shareWork } from '#kernel/time/shared-work.ts';
import { type CredentialWatch, type Hub, HubError } from './hub.ts';

/** In alphabetical order; the identity must have no other. */
const requiredPermissions = ['network.read', 'notes.write'];
const firstRetryMs = 500;

export interface ServiceIdentity extends CredentialWatch, AsyncDisposable {}

interface IdentityOptions {
  hub: Hub;
  clock: Clock;
  log: Log;
  /** Ends the wait for the hub at the start. */
  stop: AbortSignal;
}

/** Resolves when the hub confirms the identity. Rejects when it is wrong, or the hub is unreachable for a minute. */
export async function startServiceIdentity({ hub, clock, log, stop }: IdentityOptions): Promise<ServiceIdentity> {
  const groups = { auth: { self: authRoutes.self } };
  /** Resolves to what is wrong with the identity, or null. Rejects with a HubError when the hub is unreachable. */
  const findProblem = async (signal: AbortSignal): Promise<string | null> => {
    try {
      const { identity } = await hub.client(groups, { signal }).auth.self({});
      const granted = identity.permissions.toSorted().join(', ');
      return granted === requiredPermissions.join(', ')
        ? null
        : `it grants ${granted || 'nothing'}: make one with exactly ${requiredPermissions.join(' and ')}`;
    } catch (error) {
      if (error instanceof HubError && (error.hubStatus === 401 || error.hubStatus === 403)) {
        return `the monitoring service refused it (${error.hubStatus}): make a new API identity`;
      }
      throw error;
    }
  };

  await waitForConfirmation(findProblem, { clock, log, stop });
  let isDoubted = false;
  const disposed = new AbortController();
  const check = shareWork(async () => {
    const problem = await findProblem(disposed.signal);
    if (problem !== null) {
      throw new AppError('upstream_failed', 'the MCP server has no valid identity at the monitoring service');
    }
    isDoubted = false;
  });
  const job = startJob(clock, log, {
    name: 'check of MCP_SERVICE_TOKEN',
    everyMs: limits.mcpIdentityCheckMs,
    async run(signal) {
      const problem = await findProblem(signal);
      isDoubted = problem !== null;
      if (problem !== null) {
        log.error({}, `MCP_SERVICE_TOKEN: ${problem}`);
      }
    },
  });
  return {
    ensureValid: (signal) => (isDoubted ? check(signal) : Promise.resolve()),
    noteRefusal() {
      isDoubted = true;
    },
    async [Symbol.asyncDispose]() {
      disposed.abort(new Error('the MCP server stops'));
      await job[Symbol.asyncDispose]();
    },
  };
}

/** Retries with doubling waits while the hub is unreachable. */
async function waitForConfirmation(
  findProblem: (signal: AbortSignal) => Promise<string | null>,
  { clock, log, stop }: Omit<IdentityOptions, 'hub'>,
): Promise<void> {
  const giveUpAt = clock.now() + limits.mcpIdentityRetryMs;
  for (let waitMs = firstRetryMs; ; waitMs *= 2) {
    try {
      const problem = await findProblem(stop);
      if (problem === null) {
        return;
      }
      throw new Error(`MCP_SERVICE_TOKEN: ${problem}`);
    } catch (error) {
      if (!(error instanceof HubError)) {
        throw error;
      }
      stop.throwIfAborted();
      if (clock.now() + waitMs > giveUpAt) {
        throw new Error(`MONITOR_URL: ${error.message}; start it, or correct the address`, { cause: error });
      }
      log.warn({ waitMs }, `${error.message}; trying again`);
      await clock.sleep(waitMs, stop);
    }
  }
}
