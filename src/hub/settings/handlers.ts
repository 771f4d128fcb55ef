// Handlers of the general settings.
import type { configRoutes } from '#contract/config.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Principal } from '../auth/principal.ts';
import type { SettingsDocument } from './document.ts';

type Mine = Pick<Handlers<typeof configRoutes, Principal>, 'general' | 'saveGeneral'>;

export function generalHandlers(document: SettingsDocument): Mine {
  return {
    general: () => document.current().general,
    saveGeneral({ body }) {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const { general } = document.update((all) => ({ ...all, general: { ...all.general, ...given } }));
      return { success: true, ...general };
    },
  };
}
