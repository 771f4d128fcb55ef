// Insights as a feature: facts that the hub computes itself, and what of the network an analysis may send. Nothing of it
// asks another service.

import type { Base, Feature, RouteHandlers } from '../../base/feature.ts';
import type { MeshFeature } from '../../collect/mesh/feature.ts';
import type { RoutersFeature } from '../../collect/routers/feature.ts';
import type { ThreatFeature } from '../../identify/threat/feature.ts';
import type { ConnectionsFeature } from '../../record/connections/feature.ts';
import type { CoverageFeature } from '../../record/coverage/feature.ts';
import { type Contexts, createContexts } from './contexts.ts';
import { createFactsHandler } from './facts.ts';

interface Peers {
  connections: Pick<ConnectionsFeature, 'compare'>;
  coverage: Pick<CoverageFeature, 'measure'>;
  threat: Pick<ThreatFeature, 'judged'>;
  routers: Pick<RoutersFeature, 'list'>;
  mesh: Pick<MeshFeature, 'network'>;
}

export interface InsightsFeature extends Feature<{ ai: RouteHandlers<'ai', 'facts'> }> {
  readonly contexts: Contexts;
}

export function startInsightsFeature({ clock, readers, settings }: Base, { mesh, ...peers }: Peers): InsightsFeature {
  const facts = createFactsHandler({ ...peers, clock });
  return {
    contexts: createContexts({ clock, readers, settings: settings.current, facts, mesh }),
    handlers: { ai: { facts } },
  };
}
