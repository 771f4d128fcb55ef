// `gatehouse doctor`: checks a hub, also one that does not start, and writes what helps to find a fault.
import { Agent } from 'undici';
import { z } from 'zod';
import { checkStates, type DiagnosticCheck, diagnosticsRoutes } from '#contract/diagnostics.ts';
import { messageOf } from '#kernel/errors.ts';
import { writeText } from '#kernel/files/files.ts';
import { createClient } from '#kernel/http/client.ts';
import { ownAddress } from '#kernel/net/own-address.ts';
import { readEnv } from '#kernel/process/env.ts';
import { runProgram } from '#kernel/process/program.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { hubSettings } from '../../base/config.ts';
import { contains } from './document.ts';
import { checkOffline, type Places } from './offline.ts';
import { collectSecrets, requireNoSecret } from './secret-search.ts';

const usage = `Usage: gatehouse doctor [--data DIR] [--out FILE] [--json]

Checks the hub of this machine and says what to do: port, settings, database, disk and permissions, also when the hub does
not start. With MONITOR_TOKEN, the admin token, it also asks the running hub about clock, routers, Agents, names, threat
feeds, backups and listener. Ends with 0 when there is no problem, with 1 when there is one, and with 2 when it could not run.

Options
  --data DIR  folder of the hub's data (MONITOR_DATA_DIR; default ./data)
  --out FILE  write the diagnostics, searched for secrets, as JSON into FILE (mode 0600)
  --json      print the diagnostics instead of the table
  --help      this text
  --version   the version

Variables
  MONITOR_URL    address of the hub (default: HOST and PORT, as the hub has them)
  MONITOR_TOKEN  the admin token
`;

const askMs = 60_000;

/** Resolves to the exit code. */
export async function runDoctor(argv: readonly string[]): Promise<number> {
  const options = { data: { type: 'string' }, out: { type: 'string' }, json: { type: 'boolean' } } as const;
  let isProblem = false;
  let isWhole = true;
  const code = await runProgram(argv, { name: 'doctor', usage, options }, async ({ data, out, json }) => {
    const { document, secrets, isRefused } = await examineHub(data);
    isWhole = !isRefused;
    requireNoSecret(document, secrets);
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (out !== undefined) {
      writeText(out, text);
    }
    process.stdout.write(json ? text : formatChecks(document.checks));
    isProblem = document.checks.some(({ state }) => state === 'problem');
  });
  return code !== 0 || !(isProblem || isWhole) ? 2 : Number(isProblem);
}

async function examineHub(data: string | undefined) {
  const env = readEnv(z.object({ MONITOR_URL: z.url().optional(), MONITOR_TOKEN: z.string().optional() }));
  const { places, address, fault } = readPlaces(data);
  const hub = new URL(env.MONITOR_URL ?? address);
  const { checks, settings } = await checkOffline(places, hub, fault);
  const secrets = collectSecrets(settings, { dataDir: places.dataDir, given: [env.MONITOR_TOKEN] });
  const { node } = process.versions;
  const offline = {
    version: 1,
    createdAt: systemClock.now(),
    contains,
    versions: { hub: packageVersion(), node },
    checks,
  };
  const token = env.MONITOR_TOKEN;
  if (token === undefined) {
    process.stderr.write('gatehouse doctor: set MONITOR_TOKEN to the admin token to ask the running hub too\n');
    return { document: offline, secrets, isRefused: false };
  }
  const dispatcher = new Agent();
  try {
    const headers = { 'X-Admin-Token': token };
    const client = createClient(
      { diagnostics: diagnosticsRoutes },
      { baseUrl: hub, headers, timeoutMs: askMs, dispatcher },
    );
    const online = await client.diagnostics.read({});
    return { document: { ...online, checks: joinChecks(checks, online.checks) }, secrets, isRefused: false };
  } catch (error) {
    process.stderr.write(`gatehouse doctor: the hub at ${hub.origin} could not be asked: ${messageOf(error)}\n`);
    return { document: offline, secrets, isRefused: true };
  } finally {
    await dispatcher.destroy();
  }
}

/** Variables that are wrong keep a hub from starting: then the defaults are examined, and the fault is told. */
function readPlaces(data: string | undefined): { places: Places; address: URL; fault: unknown } {
  try {
    const { options } = hubSettings({ data });
    return { places: options, address: ownAddress(options.host, options.port), fault: null };
  } catch (fault) {
    return { places: { dataDir: data ?? './data' }, address: ownAddress('127.0.0.1', 3000), fault };
  }
}

/** Joins both lists of checks; of two checks of one thing the worse one stays. */
function joinChecks(own: readonly DiagnosticCheck[], hub: readonly DiagnosticCheck[]): DiagnosticCheck[] {
  const rank = ({ state }: DiagnosticCheck) => checkStates.indexOf(state);
  const others = hub.filter(({ code }) => !own.some((one) => one.code === code));
  const joined = own.map((one) => {
    const asked = hub.find(({ code }) => code === one.code);
    return asked && rank(asked) >= rank(one) ? asked : one;
  });
  return [...joined, ...others];
}

function formatChecks(checks: readonly DiagnosticCheck[]): string {
  const lines = checks.flatMap(({ code, state, message, advice }) => [
    `${state.padEnd(8)} ${code.padEnd(12)} ${message}`.trimEnd(),
    ...(advice === '' ? [] : [`${' '.repeat(22)}${advice}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
