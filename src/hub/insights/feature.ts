// Insights as a feature: facts that the hub computes itself. Nothing of it asks another service.
import type { ConnectionsFeature } from '../connections/feature.ts';
import type { CoverageFeature } from '../coverage/feature.ts';
import type { Base, Feature, RouteHandlers } from '../feature.ts';
import type { RoutersFeature } from '../routers/feature.ts';
import type { ThreatFeature } from '../threat/feature.ts';
import { factsHandler } from './facts.ts';

interface Peers {
  connections: Pick<ConnectionsFeature, 'compare'>;
  coverage: Pick<CoverageFeature, 'of'>;
  threat: Pick<ThreatFeature, 'judged'>;
  routers: Pick<RoutersFeature, 'list'>;
}

export function startInsightsFeature({ clock }: Base, peers: Peers): Feature<{ ai: RouteHandlers<'ai', 'facts'> }> {
  return { handlers: { ai: { facts: factsHandler({ ...peers, clock }) } } };
}
