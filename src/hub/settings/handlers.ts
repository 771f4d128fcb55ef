// Handlers of the general settings.
import type { configRoutes } from '#contract/config.ts';
import { withChanges } from '#kernel/changes.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Principal } from '../auth/principal.ts';
import type { SettingsDocument } from './document.ts';

type Mine = Pick<Handlers<typeof configRoutes, Principal>, 'general' | 'saveGeneral'>;

export function generalHandlers(document: SettingsDocument): Mine {
  return {
    general: () => document.current().general,
    saveGeneral({ body }) {
      const { general } = document.update((all) => ({ ...all, general: withChanges(all.general, body) }));
      return { success: true, ...general };
    },
  };
}
