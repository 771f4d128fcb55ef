// Which remote look-ups are enabled. Checked before an address becomes part of a request.
import type { LookupName } from '#contract/config.ts';
import { parseResolver, type Resolver } from '../../../base/settings/resolver.ts';
import type { Settings } from '../../../base/settings/schema.ts';

export type OffReason = 'offline_mode' | 'offline_mode_requires_internal_endpoint' | 'switched_off' | 'not_configured';

export interface Switch {
  enabled: boolean;
  /** Why it is off; null while it is on. */
  reason: OffReason | null;
}

export interface SwitchOptions {
  settings: Settings['enrichment'];
  /** MONITOR_OFFLINE_MODE. */
  offline: boolean;
  /** MONITOR_INTERNAL_DNS; empty when there is none. */
  internalDns: string;
}

/** What an enabled look-up discloses (shown next to its switch). */
export const disclosures: Record<LookupName, string> = {
  ptr: 'The addresses that devices talk to go to the chosen name server, which may pass them on to others.',
  rdap: 'The addresses that devices talk to go to the registries of the Internet (ARIN, RIPE NCC, APNIC, LACNIC, AFRINIC) and those they refer to.',
  geo: 'The addresses that devices talk to go to the chosen location service.',
};

/** The name server in use: that of the settings, else that of the environment. */
export function findResolver({ settings, internalDns }: SwitchOptions): Resolver | null {
  return parseResolver(settings.ptr.resolver || internalDns);
}

/** Offline mode first, then the switch, then whether a service is configured. */
export function readSwitch(name: LookupName, options: SwitchOptions): Switch {
  const reason = findOffReason(name, options);
  return { enabled: reason === null, reason };
}

function findOffReason(name: LookupName, options: SwitchOptions): OffReason | null {
  const resolver = findResolver(options);
  if (options.offline && name !== 'ptr') {
    return 'offline_mode';
  }
  if (options.offline && resolver?.isInternal !== true) {
    return 'offline_mode_requires_internal_endpoint';
  }
  if (!options.settings[name].enabled) {
    return 'switched_off';
  }
  const isConfigured = { ptr: resolver !== null, rdap: true, geo: options.settings.geo.url !== '' }[name];
  return isConfigured ? null : 'not_configured';
}
