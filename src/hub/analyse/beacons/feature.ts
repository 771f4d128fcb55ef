// Beacon detection as a feature.
import { limits } from '#contract/limits.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import type { DetectionFeature } from '../../identify/detection/feature.ts';
import type { Live } from '../../notify/live/live.ts';
import { createBeaconStore } from './beacon-store.ts';
import { createBeaconHandlers } from './handlers.ts';
import { startBeaconScans } from './scans.ts';

export function startBeaconsFeature(
  { clock, log, db, settings, readers, options }: Base,
  { detection, live }: { detection: DetectionFeature; live: Live },
): Feature<Pick<HubHandlers, 'beacons'>> {
  const store = createBeaconStore(db);
  const pollMs = options.pollIntervalMs ?? limits.pollIntervalMs;
  const scans = startBeaconScans({
    db,
    clock,
    log,
    store,
    pool: readers.scans,
    pollMs,
    config: () => settings.current().beacons,
    *onNews(writer, news) {
      const announce = yield* detection.beacons(writer, news);
      return () => {
        announce();
        for (const beacon of news.map(store.find)) {
          beacon && live.publish('beacon', beacon);
        }
      };
    },
  });
  return {
    ...scans,
    handlers: {
      beacons: createBeaconHandlers({
        reads: readers.reads,
        previews: readers.previews,
        pollMs,
        clock,
        store,
        scans,
        settings,
        expectBeacon: detection.expectBeacon,
      }),
    },
  };
}
