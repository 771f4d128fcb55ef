// What the hub takes from its command line (docs/reference/command-line.md#hub-start) and from its environment
// (docs/reference/hub-variables.md).
import { z } from 'zod';
import { buildCommit } from '#kernel/process/commit.ts';
import { readEnv } from '#kernel/process/env.ts';
import type { Log } from '#kernel/process/log.ts';
import { wholeOption } from '#kernel/process/option-value.ts';
import { packageVersion } from '#kernel/process/version.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { PasswordCost } from './auth/credentials/password.ts';
import type { ReaderPools } from './readers/pools.ts';
import type { AiUrls } from './settings/ai-urls.ts';
import { absentModes, variablesWithoutEffect } from './settings/other-variables.ts';
import { type SinkSettings, sinkSettings } from './settings/sink.ts';
import { hubVariables, type VariableOptions } from './settings/variables/table.ts';
import { defaultText, type Variable, variableSchemas } from './settings/variables/variable.ts';
import type { Statement } from './statements.ts';

type Required = 'dataDir' | 'host' | 'port';

/**
 * What a hub is started with: by its entry from the environment, by tests and benchmarks directly.
 * `hubVariables` describes the options that variables set; those below have no variable of their own.
 */
export interface HubOptions extends Pick<VariableOptions, Required>, Partial<Omit<VariableOptions, Required>> {
  version: string;
  /** Commit that it was built from, 40 hexadecimal digits; null or absent: unknown. */
  commit?: string | null;
  clock: Clock;
  log: Log;
  /** Silence after which the output of a router counts as complete, 300 ms when absent; tests make it short. */
  routerSettleMs?: number | undefined;
  /**
   * Writes random first credentials to private files (docs/reference/wire-contract/5-behaviours.md#first-start); else
   * the caller shows them.
   */
  firstCredentialFiles?: boolean;
  /** Cost of password hashes; tests make it cheap. */
  passwordCost?: PasswordCost;
  /** Replaces the official addresses of AI services: for tests and the demo, which ask simulators. */
  aiUrls?: AiUrls | undefined;
  /** Where closed hours are sent; null or absent: nowhere. */
  sink?: SinkSettings | null;
  /** False: threat feeds are not fetched, as in offline mode. */
  threatFeeds?: boolean;
  /** PEM of an authority that outbound HTTPS requests trust besides the public ones; for tests. */
  trustedCa?: string | undefined;
  /** Folder of the built web UI; absent: it is not built, and the hub says so. */
  webFolder?: string | undefined;
  agents?: Partial<VariableOptions<'agents.'>>;
  /** `clients`: how many clients of each kind are remembered, 20,000 when absent. */
  rate?: VariableOptions<'rate.'> & { clients?: number };
  /** What the hub says about its start, in its log and its status. */
  warnings?: readonly Statement[];
  /** Another price catalog of AI models than that of this version, as JSON; for tests. */
  priceCatalog?: unknown;
  /** How long the headers of a request may take. */
  headersMs?: number;
  checkReplies?: boolean;
  /** false: no scheduled backups. Those before a migration or a restore are still made. */
  scheduledBackups?: boolean;
  /** Reader threads of the same database file that the caller has started already. */
  pools?: ReaderPools;
  /** false: a kind of reader thread is started by its first query, and tried by the first request to /readyz. */
  startsReaders?: boolean;
}

export const hubEnv = z.object({ ...variableSchemas(hubVariables), ...absentModes });

export const hubUsage = `Usage: gatehouse hub [--host ADDRESS] [--port N] [--data DIR]

Collects connections from routers into SQLite and serves the REST API.

Options
  --host ADDRESS  address to listen on (HOST)
  --port N        port to listen on, 0 picks a free one (PORT)
  --data DIR      folder of monitor.db and monitor.json (MONITOR_DATA_DIR)
  --help          this text
  --version       the version

The first start shows the admin token and the login password once on a terminal; elsewhere it keeps them in the files
initial-admin-token and initial-password (mode 0600) of the data folder. MONITOR_INITIAL_ADMIN_TOKEN and
MONITOR_INITIAL_PASSWORD (or the same with _FILE) set them instead. gatehouse reset-token and gatehouse reset-password
make new ones.
A service runs "node bin/gatehouse.js hub" itself, not npm; one hub at a time uses a data directory.

Variables, with their defaults. NAME_FILE instead of NAME is the path of a file that holds the value.
${Object.entries<Variable>(hubVariables).map(describeVariable).join('\n')}
`;

function describeVariable([name, variable]: [string, Variable]): string {
  const fallback = defaultText(variable);
  return `  ${name}${fallback === null ? '' : ` (${fallback})`}\n      ${variable.text}`;
}

export interface HubArguments {
  host?: string | undefined;
  port?: string | undefined;
  data?: string | undefined;
}

/** Environment and command line together; throws an Error naming the variable or option that is wrong. */
export function hubSettings({ host, port, data }: HubArguments) {
  const givenPort = port === undefined ? undefined : wholeOption('port', port, [0, 65_535]);
  const env = readEnv(hubEnv);
  const variables = variableOptions(env);
  const options: Omit<HubOptions, 'clock' | 'log' | 'pools'> = {
    ...variables,
    dataDir: data ?? variables.dataDir,
    host: host ?? variables.host,
    port: givenPort ?? variables.port,
    version: packageVersion(),
    commit: buildCommit(env.GATEHOUSE_COMMIT),
    sink: sinkSettings(env),
    warnings: variablesWithoutEffect(Object.keys(hubEnv.shape)),
  };
  return { options, logLevel: env.LOG_LEVEL, stallMs: env.MONITOR_WATCHDOG_STALL_MS };
}

type OptionGroups = VariableOptions & { agents: VariableOptions<'agents.'>; rate: VariableOptions<'rate.'> };

/** The values of `env` under the names that `hubVariables` gives their options. */
function variableOptions(env: Readonly<Record<string, unknown>>): OptionGroups {
  const options: Record<string, unknown> = {};
  for (const [name, { option }] of Object.entries<Variable>(hubVariables)) {
    const [group, member] = option?.split('.') ?? [];
    if (group !== undefined) {
      options[group] = member === undefined ? env[name] : { ...(options[group] as object), [member]: env[name] };
    }
  }
  return options as OptionGroups;
}
