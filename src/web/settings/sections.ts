// The sections of the settings, each loaded when it is shown first.
import type { ComponentType } from 'preact';
import type { Permission } from '#contract/access.ts';
import type { SettingsDictionary } from '../text/settings/en.ts';

export interface Section {
  /** As `section` in the address. */
  path: string;
  name: keyof SettingsDictionary['sections'];
  /** Without it there is nothing to show. */
  needs: Permission;
  load: () => Promise<ComponentType>;
}

export const sections: readonly [Section, ...Section[]] = [
  {
    ...{ path: 'routers', name: 'routers', needs: 'network.read' },
    load: async () => (await import('./routers/routers.tsx')).Routers,
  },
  {
    ...{ path: 'agents', name: 'agents', needs: 'auth.admin' },
    load: async () => (await import('./agents/agents.tsx')).Agents,
  },
  {
    ...{ path: 'sign-in', name: 'signIn', needs: 'auth.admin' },
    load: async () => (await import('./sign-in/sign-in-settings.tsx')).SignInSettings,
  },
  {
    ...{ path: 'feeds', name: 'feeds', needs: 'network.read' },
    load: async () => (await import('./feeds/feeds.tsx')).Feeds,
  },
  {
    ...{ path: 'chat', name: 'chat', needs: 'settings.write' },
    load: async () => (await import('./chat/chat.tsx')).Chat,
  },
  {
    ...{ path: 'ai', name: 'ai', needs: 'settings.write' },
    load: async () => (await import('./ai/ai.tsx')).Ai,
  },
  {
    ...{ path: 'general', name: 'general', needs: 'settings.write' },
    load: async () => (await import('./general/general.tsx')).General,
  },
  {
    ...{ path: 'backups', name: 'backups', needs: 'settings.write' },
    load: async () => (await import('./backups/backups.tsx')).Backups,
  },
  {
    ...{ path: 'about', name: 'about', needs: 'network.read' },
    load: async () => (await import('./about/about.tsx')).About,
  },
];
