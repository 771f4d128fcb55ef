// The manual look-up as a feature.
import type { Base, Feature } from '../../../base/feature.ts';
import { createReputationHandlers, type ReputationHandlers } from './handlers.ts';
import { createReputation } from './look-up.ts';

export function startReputationFeature({
  clock,
  settings,
  offline,
  options,
}: Base): Feature<{ threat: ReputationHandlers }> {
  const reputation = createReputation({ clock, document: settings, mirror: options.threatMirror ?? null });
  const lookUp = { enabled: !offline, reason: offline ? 'offline_mode' : null };
  return {
    handlers: { threat: createReputationHandlers({ reputation, document: settings, clock, offline }) },
    status: () => ({ features: { 'manual-threat-lookup': lookUp } }),
  };
}
