// The places of the page, each loaded when it is shown first.
import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import { loadView } from '../parts/late.tsx';
import type { Dictionary } from '../text/en.ts';

interface Shown {
  /** The last part of the path. */
  path: string;
  name: keyof Dictionary['places'];
  View: ComponentType;
}

export interface Place extends Shown {
  /** There is an icon of the same name. */
  name: keyof Dictionary['places'] & IconName;
  /** Pressed after `g`, it opens the place. */
  letter: string;
  /** On a phone it is under "More": the bar there has room for five. */
  isRare?: true;
}

export const places: readonly Place[] = [
  {
    path: '',
    name: 'overview',
    letter: 'o',
    View: loadView(async () => (await import('../overview/overview.tsx')).Overview),
  },
  {
    path: 'connections',
    name: 'connections',
    letter: 'c',
    View: loadView(async () => (await import('../connections/connections.tsx')).Connections),
  },
  {
    path: 'map',
    name: 'map',
    letter: 'm',
    isRare: true,
    View: loadView(async () => (await import('../map/map.tsx')).MapPlace),
  },
  {
    path: 'devices',
    name: 'devices',
    letter: 'd',
    View: loadView(async () => (await import('../devices/devices.tsx')).Devices),
  },
  {
    path: 'alerts',
    name: 'alerts',
    letter: 'a',
    View: loadView(async () => (await import('../alerts/alerts.tsx')).Alerts),
  },
  {
    path: 'insights',
    name: 'insights',
    letter: 'i',
    isRare: true,
    View: loadView(async () => (await import('../insights/insights.tsx')).Insights),
  },
  {
    path: 'settings',
    name: 'settings',
    letter: 's',
    isRare: true,
    View: loadView(async () => (await import('../settings/settings.tsx')).Settings),
  },
];

/** Reached by links only, not in the navigation. */
export const asides: readonly Shown[] = [
  { path: 'docs', name: 'docs', View: loadView(async () => (await import('../reference/reference.tsx')).Reference) },
];
