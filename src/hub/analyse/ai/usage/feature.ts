// What requests to AI providers used and cost, as a feature. Nothing of it asks a provider.
import type { Base, Feature } from '../../../base/feature.ts';
import type { PriceCatalog } from '../pricing/catalog.ts';
import { createUsageHandlers } from './handlers.ts';

export function startAiUsageFeature(
  { clock, settings, readers }: Base,
  prices: PriceCatalog,
): Feature<{ ai: ReturnType<typeof createUsageHandlers> }> {
  const own = () => settings.current().ai;
  return { handlers: { ai: createUsageHandlers({ clock, settings: own, reads: readers.reads, prices }) } };
}
