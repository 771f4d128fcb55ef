// Handlers of beacon candidates, their dismissal, and the settings of the detector.
import type { BeaconConfig, beaconRoutes } from '#contract/beacons.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import { withChanges } from '#kernel/text/changes.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { nameActor, type Principal } from '../../base/auth/principal.ts';
import type { ReaderPool } from '../../base/readers/pool.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { DetectionFeature } from '../../identify/detection/feature.ts';
import type { BeaconStore } from './beacon-store.ts';
import type { BeaconPreviewQueries } from './preview.ts';
import type { BeaconQueries } from './scan.ts';
import type { BeaconScans } from './scans.ts';

export interface BeaconHandlersOptions {
  reads: Pick<ReaderPool<BeaconQueries>, 'ask'>;
  /** A pool of its own: one preview at a time. */
  previews: Pick<ReaderPool<BeaconPreviewQueries>, 'ask'>;
  /** Milliseconds between two reads of a router's table. */
  pollMs: number;
  clock: Clock;
  store: BeaconStore;
  scans: Pick<BeaconScans, 'last' | 'scanNow'>;
  settings: SettingsDocument;
  expectBeacon: DetectionFeature['expectBeacon'];
}

export function createBeaconHandlers(options: BeaconHandlersOptions): Handlers<typeof beaconRoutes, Principal> {
  const { reads, previews, pollMs, clock, store, scans, settings, expectBeacon } = options;
  return {
    list: ({ query }) => ({
      beacons: store.list({ dismissed: query.includeDismissed === '1', benign: query.includeBenign === '1' }),
      scan: scans.last(),
      serverTime: clock.now(),
    }),
    detail({ params, signal }) {
      const beacon = store.get(params.id);
      if (beacon === null) {
        throw createNotFoundError();
      }
      return reads.ask('beaconDetail', { beacon, now: clock.now() }, signal);
    },
    async dismiss({ params, principal }) {
      const by = { actor: nameActor(principal), now: clock.now() };
      if (!(await store.dismiss(params.id, (writer, beacon) => expectBeacon(writer, beacon, by)))) {
        throw createNotFoundError();
      }
      return { success: true };
    },
    config: () => ({ config: settings.current().beacons }),
    saveConfig({ body }) {
      const beacons = changeBeaconConfig(settings.current().beacons, body);
      settings.update((all) => ({ ...all, beacons }));
      scans.scanNow();
      return { success: true, config: beacons };
    },
    preview({ body, signal }) {
      const saved = settings.current().beacons;
      const params = { now: clock.now(), pollMs, saved, given: changeBeaconConfig(saved, body) };
      return previews.ask('beaconPreview', params, signal);
    },
  };
}

/** Throws AppError `invalid_body`. */
export function changeBeaconConfig(
  saved: BeaconConfig,
  body: Parameters<typeof withChanges<BeaconConfig>>[1],
): BeaconConfig {
  const config = withChanges(saved, body);
  if (config.minIntervalMs >= config.maxIntervalMs) {
    throw refuseField('invalid_body', 'minIntervalMs', 'must be less than maxIntervalMs', 'not_less_than_longest');
  }
  return config;
}

const createNotFoundError = () =>
  new AppError('not_found', 'there is no beacon with this id; GET /api/beacons lists them');
