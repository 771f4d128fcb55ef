// The general settings as a feature.
import type { Base, Feature, HandlersOf } from '../feature.ts';
import { generalHandlers } from './handlers.ts';

export function startSettingsFeature({ settings }: Base): Feature<HandlersOf<'config', 'general' | 'saveGeneral'>> {
  return { handlers: { config: generalHandlers(settings) } };
}
