// `gatehouse mcp`: runs the MCP server on stdio or HTTP until its client or a signal ends it.
import { once } from 'node:events';
import { messageOf } from '#kernel/errors.ts';
import { listenFailure } from '#kernel/http/listen-failure.ts';
import { buildCommit, releaseName } from '#kernel/process/commit.ts';
import { environmentWith, readEnv } from '#kernel/process/env.ts';
import { createLog } from '#kernel/process/log.ts';
import { runProgram } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { mcpEnv, mcpUsage } from './config.ts';
import { startMcpHttp } from './http.ts';
import { mcpSettings } from './settings.ts';
import { runStdio } from './stdio.ts';

/** Resolves to the exit code: 0 after a clean stop, 1 on failure, 2 on a usage error. */
export function runMcp(argv: readonly string[]): Promise<number> {
  const options = { 'env-file': { type: 'string' } } as const;
  const variables = { port: 'MCP_PORT', host: 'MCP_BIND_ADDRESS' };
  const explain = (error: unknown) => listenFailure(error, variables) ?? messageOf(error);
  return runProgram(argv, { name: 'mcp', usage: mcpUsage, options, explain }, (given) => serve(given['env-file']));
}

async function serve(envFile: string | undefined): Promise<void> {
  const warnings: string[] = [];
  const source = envFile === undefined ? undefined : environmentWith(envFile);
  const env = readEnv(mcpEnv, source, (sentence) => warnings.push(sentence));
  const settings = mcpSettings(env);
  const stop = stopSignal();
  const version = releaseName(packageVersion(), buildCommit(env.GATEHOUSE_COMMIT));
  const shared = { version, clock: systemClock, log: createLog('mcp', env.LOG_LEVEL) };
  for (const sentence of warnings) {
    shared.log.warn({}, sentence);
  }
  if (settings.transport === 'stdio') {
    // The protocol owns standard output here: nothing else may be printed.
    await runStdio({ settings, ...shared, stop });
    return;
  }
  try {
    await using http = await startMcpHttp({ settings, ...shared, stop });
    process.stdout.write(`gatehouse mcp version ${version}\ngatehouse mcp ready ${http.url.href}\n`);
    if (!stop.aborted) {
      await once(stop, 'abort');
    }
  } catch (error) {
    // A start that a signal interrupts fails too; that is a clean stop.
    if (!stop.aborted) {
      throw error;
    }
  }
}
