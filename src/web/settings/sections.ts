// The sections of the settings, each loaded when it is shown first.
import type { ComponentType } from 'preact';
import type { Permission } from '#contract/access.ts';
import { loadView } from '../parts/late.tsx';
import type { SectionName } from './setting-href.ts';

export interface Section {
  /** The value of `section` in the URL, and the key of its title. */
  name: SectionName;
  /** Who lacks this permission sees a note instead of the section. */
  needs: Permission;
  View: ComponentType;
}

export const sections: readonly [Section, ...Section[]] = [
  {
    name: 'routers',
    needs: 'network.read',
    View: loadView(async () => (await import('./routers/routers.tsx')).Routers),
  },
  { name: 'agents', needs: 'auth.admin', View: loadView(async () => (await import('./agents/agents.tsx')).Agents) },
  {
    name: 'sources',
    needs: 'settings.write',
    View: loadView(async () => (await import('./sources/sources.tsx')).Sources),
  },
  {
    name: 'sign-in',
    needs: 'auth.admin',
    View: loadView(async () => (await import('./sign-in/sign-in-settings.tsx')).SignInSettings),
  },
  {
    name: 'assistants',
    needs: 'auth.admin',
    View: loadView(async () => (await import('./assistants/assistants.tsx')).Assistants),
  },
  { name: 'feeds', needs: 'network.read', View: loadView(async () => (await import('./feeds/feeds.tsx')).Feeds) },
  {
    name: 'alerts',
    needs: 'settings.write',
    View: loadView(async () => (await import('./alerts/detection.tsx')).Detection),
  },
  { name: 'chat', needs: 'settings.write', View: loadView(async () => (await import('./chat/chat.tsx')).Chat) },
  { name: 'ai', needs: 'settings.write', View: loadView(async () => (await import('./ai/ai.tsx')).Ai) },
  {
    name: 'general',
    needs: 'settings.write',
    View: loadView(async () => (await import('./general/general.tsx')).General),
  },
  {
    name: 'privacy',
    needs: 'settings.write',
    View: loadView(async () => (await import('./privacy/privacy.tsx')).Privacy),
  },
  {
    name: 'backups',
    needs: 'settings.write',
    View: loadView(async () => (await import('./backups/backups.tsx')).Backups),
  },
  { name: 'audit', needs: 'audit.read', View: loadView(async () => (await import('./audit/audit.tsx')).Audit) },
  { name: 'about', needs: 'network.read', View: loadView(async () => (await import('./about/about.tsx')).About) },
];
