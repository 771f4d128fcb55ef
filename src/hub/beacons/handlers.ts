// Handlers of beacon candidates, their dismissal, and the settings of the detector.
import type { beaconRoutes } from '#contract/beacons.ts';
import { withChanges } from '#kernel/changes.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { SettingsDocument } from '../settings/document.ts';
import type { BeaconStore } from './beacon-store.ts';
import type { BeaconScans } from './scans.ts';

export interface BeaconHandlersOptions {
  clock: Clock;
  store: BeaconStore;
  scans: Pick<BeaconScans, 'last' | 'scanNow'>;
  settings: SettingsDocument;
}

export function beaconHandlers<P>(options: BeaconHandlersOptions): Handlers<typeof beaconRoutes, P> {
  const { clock, store, scans, settings } = options;
  return {
    list: ({ query }) => ({
      beacons: store.list({ dismissed: query.includeDismissed === '1', benign: query.includeBenign === '1' }),
      scan: scans.last(),
      serverTime: clock.now(),
    }),
    async dismiss({ params }) {
      if (!(await store.dismiss(params.id))) {
        throw new AppError('not_found', 'there is no beacon with this id; GET /api/beacons lists them');
      }
      return { success: true };
    },
    config: () => ({ config: settings.current().beacons }),
    saveConfig({ body }) {
      const beacons = withChanges(settings.current().beacons, body);
      if (beacons.minIntervalMs >= beacons.maxIntervalMs) {
        throw new AppError('invalid_body', 'minIntervalMs must be less than maxIntervalMs');
      }
      settings.update((all) => ({ ...all, beacons }));
      scans.scanNow();
      return { success: true, config: beacons };
    },
  };
}
