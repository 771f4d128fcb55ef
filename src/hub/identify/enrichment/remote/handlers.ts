// Handlers of the look-ups: their switches, and what each discloses.
import type { z } from 'zod';
import type { configRoutes } from '#contract/config.ts';
import { refuseField } from '#kernel/errors.ts';
import { isForbiddenHost } from '#kernel/net/forbidden-target.ts';
import type { RouteHandlers } from '../../../base/feature.ts';
import type { SettingsDocument } from '../../../base/settings/document.ts';
import { parseResolver } from '../../../base/settings/resolver.ts';
import type { Settings } from '../../../base/settings/schema.ts';
import type { LookUps } from './look-ups.ts';
import { disclosures } from './switches.ts';

export type LookUpHandlers = RouteHandlers<'config', 'lookups' | 'saveLookups'>;
type Change = z.output<(typeof configRoutes)['saveLookups']['body']>;
type Stored = Settings['enrichment'];

export interface LookUpHandlersOptions {
  document: SettingsDocument;
  lookUps: LookUps;
  /** Services on this machine are allowed. */
  allowLoopback: boolean;
}

export function createLookUpHandlers({ document, lookUps, allowLoopback }: LookUpHandlersOptions): LookUpHandlers {
  const readShown = () => {
    const { ptr, rdap, geo } = document.current().enrichment;
    return {
      ptr: { ...ptr, discloses: disclosures.ptr, effectiveResolver: lookUps.resolver() },
      rdap: { ...rdap, discloses: disclosures.rdap },
      geo: { enabled: geo.enabled, discloses: disclosures.geo, url: geo.url, tokenSet: geo.token !== '' },
    };
  };
  return {
    lookups: readShown,
    saveLookups({ body }) {
      document.update((all) => ({ ...all, enrichment: changeLookUps(all.enrichment, body, allowLoopback) }));
      return { success: true, ...readShown() };
    },
  };
}

/** Returns the settings with the members that `change` names replaced. Throws AppError `invalid_body`. */
export function changeLookUps(old: Stored, change: Change, allowLoopback: boolean): Stored {
  const next = applyChange(old, change);
  refuseForbidden(change, allowLoopback);
  if (next.geo.enabled && next.geo.url === '') {
    throw refuseField('invalid_body', 'geo.url', 'is missing: say which service to ask', 'missing');
  }
  return next;
}

function applyChange(old: Stored, { ptr = {}, rdap = {}, geo = {} }: Change): Stored {
  return {
    ptr: {
      enabled: ptr.enabled ?? old.ptr.enabled,
      resolver: ptr.resolver === undefined ? old.ptr.resolver : requireResolver(ptr.resolver),
    },
    rdap: {
      enabled: rdap.enabled ?? old.rdap.enabled,
      bootstrapUrl: rdap.bootstrapUrl === undefined ? old.rdap.bootstrapUrl : requireBootstrapUrl(rdap.bootstrapUrl),
    },
    geo: applyGeoChange(old.geo, geo),
  };
}

/** Checks the request, not the stored settings. */
function refuseForbidden({ ptr, rdap, geo }: Change, allowLoopback: boolean): void {
  const hosts = {
    'ptr.resolver': parseResolver(ptr?.resolver ?? '')?.ip,
    'rdap.bootstrapUrl': parseHost(rdap?.bootstrapUrl),
    'geo.url': parseHost(geo?.url?.replace('{ip}', '192.0.2.1')),
  };
  for (const [name, host] of Object.entries(hosts)) {
    if (host !== undefined && isForbiddenHost(host, allowLoopback)) {
      throw refuseField(
        'invalid_body',
        name,
        'must not be this machine, its link or a metadata service: name another host',
        'host_not_allowed',
      );
    }
  }
}

/** A stored token is never sent to another host than the one it was saved for. */
function applyGeoChange(old: Stored['geo'], change: NonNullable<Change['geo']>): Stored['geo'] {
  const url = change.url === undefined ? old.url : requireGeoUrl(change.url);
  const isSameHost = url !== '' && old.url !== '' && parseOrigin(url) === parseOrigin(old.url);
  const kept = change.clearToken || !isSameHost ? '' : old.token;
  return { enabled: change.enabled ?? old.enabled, url, token: change.token || kept };
}

function requireResolver(text: string): string {
  if (text !== '' && parseResolver(text) === null) {
    throw refuseField(
      'invalid_body',
      'ptr.resolver',
      'must be the IP address of a name server, with or without :port',
      'not_name_server',
    );
  }
  return text;
}

function requireBootstrapUrl(text: string): string {
  const url = parseHttpsUrl(text);
  if (!url || url.search || url.hash) {
    throw refuseField(
      'invalid_body',
      'rdap.bootstrapUrl',
      'must be an https address without user, query or fragment',
      'not_https',
    );
  }
  return text;
}

function requireGeoUrl(text: string): string {
  const url = parseHttpsUrl(text.replace('{ip}', '192.0.2.1'));
  const isPlaced = text.split('{ip}').length === 2 && !(url?.host ?? '').includes('192.0.2.1');
  if (text !== '' && (!url || url.hash || !isPlaced)) {
    throw refuseField(
      'invalid_body',
      'geo.url',
      'must be an https address with {ip} once in its path or query',
      'not_https_ip',
    );
  }
  return text;
}

function parseHttpsUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : null;
}

function parseHost(url: string | undefined): string | undefined {
  return url === undefined || url === '' ? undefined : new URL(url).hostname;
}

function parseOrigin(url: string): string {
  return new URL(url.replace('{ip}', '192.0.2.1')).origin;
}
