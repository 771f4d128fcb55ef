// `gatehouse health hub`: whether the hub of this machine answers that it is ready, for container engines and scripts.
import { Agent } from 'undici';
import { healthRoutes } from '#contract/health.ts';
import { messageOf } from '#kernel/errors.ts';
import { ClientError, createClient } from '#kernel/http/client.ts';
import { ownAddress } from '#kernel/net/own-address.ts';
import { readEnv } from '#kernel/process/env.ts';
import { runProgram } from '#kernel/process/program.ts';
import { hubEnv } from '../../base/config.ts';

/** Engines wait as long as this for an answer, or less. */
const timeoutMs = 5000;

export const hubHealthUsage = `Usage: gatehouse health hub

Asks the hub of this machine (HOST, PORT) for /readyz. Ends with 0 when it is ready, and else with 1 and the reason.

Options
  --help     this text
  --version  the version
`;

/** Resolves to the exit code: 0 when the hub is ready, 1 when not, 2 on a usage error. */
export function runHubHealth(argv: readonly string[]): Promise<number> {
  return runProgram(argv, { name: 'health hub', usage: hubHealthUsage, options: {} }, async () => {
    const env = readEnv(hubEnv.pick({ HOST: true, PORT: true }));
    const baseUrl = ownAddress(env.HOST, env.PORT);
    const dispatcher = new Agent();
    try {
      await createClient({ health: healthRoutes }, { baseUrl, timeoutMs, dispatcher }).health.readyz({});
      process.stdout.write('ready\n');
    } catch (error) {
      throw new Error(`${baseUrl.origin} ${said(error)}`, { cause: error });
    } finally {
      await dispatcher.destroy();
    }
  });
}

function said(error: unknown): string {
  if (!(error instanceof ClientError)) {
    const isRefused = messageOf(error).includes('ECONNREFUSED');
    const advice = isRefused ? ': start it with "gatehouse hub", or set HOST and PORT to those of the hub' : '';
    return `does not answer: ${messageOf(error)}${advice}`;
  }
  const { reason = 'it starts or stops' } = error.body;
  return error.status === 503 ? `is not ready: ${reason}` : `answers ${error.status}: it is no hub`;
}
