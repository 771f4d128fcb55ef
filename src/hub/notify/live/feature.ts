// Live updates as a feature: the event stream, and what others publish to it.
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import { type Live, type LiveOptions, startLive } from './live.ts';

export type LiveFeature = Live & Feature<Pick<HubHandlers, 'events'>>;

export function startLiveFeature(base: Base, auth: Pick<LiveOptions, 'identify' | 'requireOwnPage'>): LiveFeature {
  const live = startLive({ ...base, ...auth });
  return { ...live, handlers: { events: { stream: ({ request, signal }) => live.open(request, signal) } } };
}
