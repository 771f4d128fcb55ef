// Variables without effect, and modes that the hub does not have. A start with one of them says what to do
// (docs/reference/wire-contract/5-behaviours.md#58-variables-of-the-hub).
import { z } from 'zod';
import { variableNames } from '#kernel/process/env.ts';
import { createStatement, type Statement } from '../statements.ts';

/** A mode for privacy that the hub does not have. To ignore it would expose more than the operator wants: it is refused. */
function refused(remedy: string) {
  const isOff = (text: string) => text === 'false';
  return z.string().refine(isOff, `there is no such mode: ${remedy}`).optional();
}

export const absentModes = {
  DEMO_MODE: refused('run npm run demo, which has a system of simulators and a folder of its own'),
  DEMO_READ_ONLY: refused('make an API identity with network.read for people who may only look'),
};

const useApi = 'add the router with POST /api/routers, which seals its secrets';
/** Name → why it has no effect. */
const withoutEffect: Record<string, string> = {
  SUBPATH: 'put the path into MONITOR_PUBLIC_URL',
  DEMO_ADMIN_TOKEN: 'set MONITOR_INITIAL_ADMIN_TOKEN',
  MONITOR_HISTORY_HOT_MAX: 'the log is not cached in memory',
  ROUTER_IP: useApi,
  VENDOR_A_IP: useApi,
  VENDOR_A_USER: useApi,
  VENDOR_A_PASS: useApi,
  VENDOR_A_NAT: useApi,
  VENDOR_B_IP: useApi,
  VENDOR_B_USER: useApi,
  VENDOR_B_PASS: useApi,
  VENDOR_B_ENABLE_PASS: useApi,
};

/** Variables of the MCP server, which may share an environment with the hub. */
const ofMcp = ['MONITOR_URL', 'MONITOR_TOKEN', 'MONITOR_DEPLOYMENT_PROFILE'];

/** A statement for each variable that is set and has no effect. `known` are the variables of the hub, without `_FILE`. */
export function variablesWithoutEffect(known: readonly string[], source?: NodeJS.ProcessEnv): Statement[] {
  const isKnown = (name: string) => [...known, ...ofMcp].includes(name.replace(/_FILE$/, ''));
  return variableNames(source)
    .filter((name) => Object.hasOwn(withoutEffect, name) || (name.startsWith('MONITOR_') && !isKnown(name)))
    .map((name) => {
      const detail = withoutEffect[name] ?? 'this hub has no such variable (see --help)';
      return createStatement('variable_without_effect', `${name} has no effect: ${detail}`, { name, detail });
    });
}
