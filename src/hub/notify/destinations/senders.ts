import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';

export interface SenderDeps {
  clock: Clock;
  log: Log;
  version: string;
  hubUrl?: string;
}
