// A hub on a data folder with the clock of the system, that asks nobody and logs nothing.
import { type Hub, startHub } from '#hub/start/hub.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';

export function startQuietHub(dataDir: string): Promise<Hub> {
  return startHub({
    dataDir,
    host: '127.0.0.1',
    port: 0,
    version: '0',
    clock: systemClock,
    log: createLog('hub', 'silent'),
    threatFeeds: false,
  });
}
