// How the mistakes of gate/mistakes/plain.ts are made on the stage.
import { faults } from '../broken-stage.ts';
import type { Made } from './made.ts';

function made(check: string, because: RegExp): Made {
  const make = faults[check];
  if (!make) {
    throw new Error(`no fault of the stage is about ${check}`);
  }
  return { make, because };
}

export const plainMade: Readonly<Record<string, Made>> = {
  'evidence.provider-run-failed': made('evidence.idpCompatibility', /./),
  'evidence.clients-of-one-era': made('evidence.protocolEras', /no client ran in era 2026-07-28/),
  'issuer.names-itself-otherwise': made('issuer.metadata', /its issuer is another text/),
  'issuer.long-lived-tokens': made('tokens.lifetime', /the read token lives longer/),
  'endpoint.older-initialize': made('era.legacy', /another protocol version/),
  'endpoint.malformed-accepted': made('token.malformed', /it answers 200/),
  'endpoint.write-tool-renamed': made('scope.write-visible', /is not listed/),
  'operator.hub-not-alive': made('hub.health', /it answers 503/),
  'operator.hub-not-ready': made('hub.ready', /it answers 503/),
  'operator.hub-routers-unreadable': made('hub.routers', /the hub answers 503/),
  'operator.no-audit-store': made('audit.integrity', /./),
};
