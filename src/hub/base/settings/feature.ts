// The general settings as a feature.
import { withChanges } from '#kernel/text/changes.ts';
import type { Base, Feature, RouteHandlers } from '../feature.ts';

export function startSettingsFeature({
  settings,
}: Base): Feature<{ config: RouteHandlers<'config', 'general' | 'saveGeneral'> }> {
  return {
    handlers: {
      config: {
        general: () => settings.current().general,
        saveGeneral({ body }) {
          const { general } = settings.update((all) => ({ ...all, general: withChanges(all.general, body) }));
          return { success: true, ...general };
        },
      },
    },
  };
}
