// The service identity of tool calls: it must have exactly two permissions, which is verified at the start, every hour,
// and after a refusal of the hub (docs/reference/mcp-server.md#calls-to-the-hub,
// docs/reference/wire-contract/7-mcp-http.md#71-start).
import { authRoutes } from '#contract/auth.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { shareWork } from '#kernel/time/shared-work.ts';
import { type CredentialWatch, type Hub, HubError } from './hub.ts';

const needed = ['network.read', 'notes.write'];
const firstWaitMs = 500;

export interface ServiceIdentity extends CredentialWatch, AsyncDisposable {}

export interface IdentityOptions {
  hub: Hub;
  clock: Clock;
  log: Log;
  stop: AbortSignal;
}

/**
 * Resolves when the hub confirms the identity. Rejects with what to do when the identity is wrong, or when the hub is
 * unreachable for a minute.
 */
export async function startServiceIdentity({ hub, clock, log, stop }: IdentityOptions): Promise<ServiceIdentity> {
  const { auth } = { auth: { self: authRoutes.self } };
  /** Resolves to what is wrong with the identity, or null. Rejects with a HubError when the hub is unreachable. */
  const problem = async (signal: AbortSignal): Promise<string | null> => {
    try {
      const { identity } = await hub.client({ auth }, { signal }).auth.self({});
      const granted = identity.permissions.toSorted().join(', ');
      return granted === needed.join(', ')
        ? null
        : `it grants ${granted || 'nothing'}: make one with exactly ${needed.join(' and ')}`;
    } catch (error) {
      if (error instanceof HubError && (error.hubStatus === 401 || error.hubStatus === 403)) {
        return `the monitoring service refused it (${error.hubStatus}): make a new API identity`;
      }
      throw error;
    }
  };

  await confirm(problem, { clock, log, stop });
  let isDoubted = false;
  const stopped = new AbortController();
  const check = shareWork(async () => {
    const wrong = await problem(stopped.signal);
    if (wrong !== null) {
      throw new AppError('upstream_failed', 'the MCP server has no valid identity at the monitoring service');
    }
    isDoubted = false;
  });
  const job = startJob(clock, log, {
    name: 'check of MCP_SERVICE_TOKEN',
    everyMs: limits.mcpIdentityCheckMs,
    async run(signal) {
      const wrong = await problem(signal);
      isDoubted = wrong !== null;
      if (wrong !== null) {
        log.error({}, `MCP_SERVICE_TOKEN: ${wrong}`);
      }
    },
  });
  return {
    ready: (signal) => (isDoubted ? check(signal) : Promise.resolve()),
    refused() {
      isDoubted = true;
    },
    async [Symbol.asyncDispose]() {
      stopped.abort(new Error('the MCP server stops'));
      await job[Symbol.asyncDispose]();
    },
  };
}

async function confirm(
  problem: (signal: AbortSignal) => Promise<string | null>,
  { clock, log, stop }: Omit<IdentityOptions, 'hub'>,
): Promise<void> {
  const giveUpAt = clock.now() + limits.mcpIdentityRetryMs;
  for (let waitMs = firstWaitMs; ; waitMs *= 2) {
    try {
      const wrong = await problem(stop);
      if (wrong === null) {
        return;
      }
      throw new Error(`MCP_SERVICE_TOKEN: ${wrong}`);
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
