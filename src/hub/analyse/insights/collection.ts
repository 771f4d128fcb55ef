// Whether the routers are read: one word for all, and the state of each, without addresses and credentials.
import type { Facts } from '#contract/ai.ts';
import type { RoutersFeature } from '../../collect/routers/feature.ts';

type Collection = Facts['collection'];

export function summarizeCollection(all: ReturnType<RoutersFeature['list']>): Collection {
  const enabled = all.filter((router) => router.enabled);
  const ready = enabled.filter((router) => router.ready);
  const successes = enabled.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? []);
  return {
    health: toHealth(enabled.length, ready.length),
    enabledCount: enabled.length,
    readyCount: ready.length,
    reportedSessions: enabled.reduce((sum, { sessionCount }) => sum + sessionCount, 0),
    lastUpdatedAt: successes.length === 0 ? null : Math.max(...successes),
    routers: all.map(({ id, kind, name, enabled: isEnabled, ready: isReady, sessionCount, lastSuccessAt }) => ({
      id,
      kind,
      displayName: name,
      enabled: isEnabled,
      ready: isReady,
      sessionCount,
      lastSuccessAt,
    })),
  };
}

function toHealth(enabled: number, ready: number): Collection['health'] {
  if (enabled === 0) {
    return 'off';
  }
  return ready === enabled ? 'ok' : ready === 0 ? 'error' : 'partial';
}
