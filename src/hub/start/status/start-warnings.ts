// What a start found that the operator should know: written to the log once, shown as long as the hub runs.
import { isLoopbackHost } from '#kernel/net/address.ts';
import type { HubOptions } from '../../base/config.ts';
import type { Base } from '../../base/feature.ts';
import { createStatement, type Statement, toWarnings } from '../../base/statements.ts';

export function startWarnings({ options, folder, hasData, settings, log }: Base): readonly Statement[] {
  const warnings = [
    ...(options.warnings ?? []),
    ...bindWarnings(options),
    ...folder.warnings,
    ...lostLog(folder.databaseFile, hasData, settings.current().routers.length),
  ];
  for (const sentence of toWarnings(warnings).warnings) {
    log.warn({}, sentence);
  }
  return warnings;
}

/** Routers without a log: the database was lost, or lies elsewhere. */
function lostLog(file: string, hasData: boolean, routers: number): Statement[] {
  return hasData || routers === 0
    ? []
    : [
        createStatement(
          'log_lost',
          `${file} was missing or empty although ${routers} ${routers === 1 ? 'router is' : 'routers are'} set up: an empty log was begun; if it should not be empty, stop the hub and put a backup back`,
          { file },
        ),
      ];
}

/**
 * A bind beyond loopback without a proxy in front sends tokens in clear text
 * (docs/reference/wire-contract/0-conventions.md#a10-hub-address).
 */
function bindWarnings({ host, trustProxy }: HubOptions): Statement[] {
  return isLoopbackHost(host) || trustProxy?.length
    ? []
    : [
        createStatement(
          'no_tls',
          `listening on ${host} without TLS: put a TLS proxy in front and name it in MONITOR_TRUST_PROXY`,
          { host },
        ),
      ];
}
