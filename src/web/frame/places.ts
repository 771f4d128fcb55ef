// The places of the page, each loaded when it is shown first.
import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import type { Dictionary } from '../text/en.ts';

/** What is shown at a path. */
export interface View {
  /** Last part of the path. */
  path: string;
  name: keyof Dictionary['places'];
  load: () => Promise<ComponentType>;
}

export interface Place extends View {
  icon: IconName;
  /** The letter behind `g`. */
  letter: string;
  /** On a phone it is under "More": the bar there has room for five. */
  isRare?: true;
}

export const places: readonly Place[] = [
  {
    path: '',
    name: 'overview',
    icon: 'overview',
    letter: 'o',
    load: async () => (await import('../overview/overview.tsx')).Overview,
  },
  {
    path: 'connections',
    name: 'connections',
    icon: 'connections',
    letter: 'c',
    load: async () => (await import('../connections/connections.tsx')).Connections,
  },
  {
    path: 'map',
    name: 'map',
    icon: 'map',
    letter: 'm',
    isRare: true,
    load: async () => (await import('../map/map.tsx')).MapPlace,
  },
  {
    path: 'devices',
    name: 'devices',
    icon: 'devices',
    letter: 'd',
    load: async () => (await import('../devices/devices.tsx')).Devices,
  },
  {
    path: 'alerts',
    name: 'alerts',
    icon: 'alerts',
    letter: 'a',
    load: async () => (await import('../alerts/alerts.tsx')).Alerts,
  },
  {
    path: 'insights',
    name: 'insights',
    icon: 'insights',
    letter: 'i',
    isRare: true,
    load: async () => (await import('../insights/insights.tsx')).Insights,
  },
  {
    path: 'settings',
    name: 'settings',
    icon: 'settings',
    letter: 's',
    isRare: true,
    load: async () => (await import('../settings/settings.tsx')).Settings,
  },
];

/** What links lead to, and not the bar of places. */
export const asides: readonly View[] = [
  { path: 'docs', name: 'docs', load: async () => (await import('../reference/reference.tsx')).Reference },
];
