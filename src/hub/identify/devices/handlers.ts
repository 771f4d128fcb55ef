// Handlers of devices and merge candidates.
import type { deviceRoutes } from '#contract/devices.ts';
import { refuseField } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { ReaderPool } from '../../base/readers/pool.ts';
import type { Observers } from '../../record/connections/store/observer-set.ts';
import type { Notes } from '../notes/notes.ts';
import type { Devices } from './devices.ts';
import type { deviceQueries } from './queries.ts';

export interface DeviceHandlersOptions {
  devices: Devices;
  reads: Pick<ReaderPool<typeof deviceQueries>, 'ask'>;
  clock: Clock;
  notes: Pick<Notes, 'all'>;
  observers: Observers;
}

const reportSuccess = async (work: Promise<void>) => work.then(() => ({ success: true as const }));

export function createDeviceHandlers<P>(options: DeviceHandlersOptions): Handlers<typeof deviceRoutes, P> {
  const { devices, reads, clock } = options;
  return {
    list: ({ query: { includeArchived, sourceKind, sourceId }, signal }) => {
      if (sourceKind !== undefined && sourceId !== undefined && !options.observers.isKnown(sourceKind, sourceId)) {
        throw refuseField('invalid_query', 'sourceId', `is no ${sourceKind} of this hub`, 'not_known');
      }
      const notes = options.notes.all();
      const asked = { now: clock.now(), includeArchived: includeArchived === '1', observerId: sourceId, notes };
      return reads.ask('devices', asked, signal);
    },
    mergeCandidates: ({ query: { status }, signal }) =>
      reads.ask('mergeCandidates', { status, now: clock.now() }, signal),
    merge: ({ body: { keepId, dropId } }) => reportSuccess(devices.merge(keepId, dropId)),
    split: ({ body }) => reportSuccess(devices.split(body.deviceId)),
    reject: ({ body }) => reportSuccess(devices.reject(body.id)),
    archive: ({ body }) => reportSuccess(devices.archive(body.deviceId)),
    unarchive: ({ body }) => reportSuccess(devices.unarchive(body.deviceId)),
  };
}
